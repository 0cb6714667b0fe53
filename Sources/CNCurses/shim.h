#ifndef SEGUE_CNCURSES_SHIM_H
#define SEGUE_CNCURSES_SHIM_H
#define NCURSES_WIDECHAR 1  // Without it curses.h hides the wide functions from Swift.
#include <curses.h>
// Of term.h, whose macros would stand in the way of common names.
int setupterm(const char *name, int descriptor, int *error);
static inline WINDOW *nc_stdscr(void) { return stdscr; }
static inline WINDOW *nc_curscr(void) { return curscr; }
static inline int nc_lines(void) { return LINES; }
static inline int nc_columns(void) { return COLS; }
static inline int nc_colors(void) { return COLORS; }
static inline int nc_color_pairs(void) { return COLOR_PAIRS; }
static const attr_t NC_BOLD = A_BOLD, NC_REVERSE = A_REVERSE, NC_DIM = A_DIM, NC_UNDERLINE = A_UNDERLINE;
#endif
