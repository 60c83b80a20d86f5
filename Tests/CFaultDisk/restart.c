/* Several lives of a server in one process; not loaded into rpcd. */
#include "fault_disk.h"

#include <stdatomic.h>

/* That of store_vfs.c, which no header offers to programs. */
extern atomic_int tidings_vfs_has_failed_sync;

void fault_disk_restart(void) { atomic_store(&tidings_vfs_has_failed_sync, 0); }
