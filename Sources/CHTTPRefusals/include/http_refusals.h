#ifndef TIDINGS_HTTP_REFUSALS_H
#define TIDINGS_HTTP_REFUSALS_H

#include <microhttpd.h>

/* Queues an answer of the program's own, as it is. */
enum MHD_Result tidings_mhd_answer(struct MHD_Connection *connection, unsigned int status,
                                   struct MHD_Response *response);

#endif
