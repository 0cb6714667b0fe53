#ifndef SEGUE_CMPG123_SHIM_H
#define SEGUE_CMPG123_SHIM_H
#include <mpg123.h>
#endif
