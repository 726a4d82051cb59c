// SPDX-License-Identifier: MIT
//
// The tables of the store: made where there are none, and brought to this version where they are older.
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/sql/database.h"

// What the program writes and reads. An older store is changed when it is opened to write.
#define STORE_VERSION 2

// False, with db_error(), if the database holds no store, or one of a later version. db_mode as it was
// opened: only DB_CREATE makes tables, in a database that has none.
bool store_check_schema(db *d, db_mode mode);
// Part of every transaction that changes what answers may tell.
bool store_note_change(db *d);

#endif
