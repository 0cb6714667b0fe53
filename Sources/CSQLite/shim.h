// SQLite's types, and its functions as a table that is filled when the first database is opened.
#ifndef SEGUE_CSQLITE_SHIM_H
#define SEGUE_CSQLITE_SHIM_H
#include <dlfcn.h>
#include <sqlite3.h>

#include "../CLibraries/libraries.h"

#define SEGUE_SQLITE_FUNCTIONS(F)                                                                                      \
  F(open_v2) F(close_v2) F(errmsg) F(extended_errcode) F(system_errno) F(busy_timeout) F(exec) F(prepare_v2)           \
  F(step) F(reset) F(finalize) F(bind_int64) F(bind_double) F(bind_null) F(bind_text) F(bind_blob)                     \
  F(column_type) F(column_int64) F(column_double) F(column_blob) F(column_text) F(column_bytes)                        \
  F(last_insert_rowid) F(get_autocommit) F(backup_init) F(backup_step) F(backup_finish)                                \
  F(libversion_number)

#define SEGUE_FIELD(name) __typeof__(&sqlite3_##name) _Nonnull name;
typedef struct { SEGUE_SQLITE_FUNCTIONS(SEGUE_FIELD) } sqlite_functions;
#undef SEGUE_FIELD

// The functions, each under its name without `sqlite3_`; null where the library is not installed or lacks one. To be
// called once.
static inline const sqlite_functions *_Nullable sqlite_load(void) {
  static sqlite_functions table;
  void *library = segue_library_open(SEGUE_SQLITE);
  if (!library) return 0;
#define SEGUE_FIND(name) if (!(table.name = (__typeof__(&sqlite3_##name))dlsym(library, "sqlite3_" #name))) return 0;
  SEGUE_SQLITE_FUNCTIONS(SEGUE_FIND)
#undef SEGUE_FIND
  return &table;
}

// SQLITE_TRANSIENT, a cast that Swift does not import: SQLite copies the bytes before the call returns.
static inline int sqlite_bind_copied_text(const sqlite_functions *_Nonnull table, sqlite3_stmt *_Nonnull statement,
                                          int index, const char *_Nonnull text, int count) {
  return table->bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int sqlite_bind_copied_blob(const sqlite_functions *_Nonnull table, sqlite3_stmt *_Nonnull statement,
                                          int index, const void *_Nonnull bytes, int count) {
  return table->bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
#endif
