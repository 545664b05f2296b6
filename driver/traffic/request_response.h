/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * What clients and servers of the request/response traffic agree on; servers may be this tool or an emulated far end.
 *
 * A client asks with a request, and gets response_bytes of payload that begin with the bytes of its request. Over UDP
 * both are one datagram each. Over TCP they follow one another, and request_bytes says where a request ends.
 * Server i of several listens on port + i, and where each has its own address, on address + i.
 */
#ifndef REQUEST_RESPONSE_H
#define REQUEST_RESPONSE_H

#include <linux/types.h>

#define REQUEST_MAGIC 0x52513132u

/* A small response is one that needs no disk (NFS: attributes): it is served without service time. */
#define SMALL_RESPONSE_BYTES 128
#define MOST_BYTES_WITHOUT_SERVICE 1000
#define MOST_MESSAGE_BYTES 65507

/* All numbers are little-endian. */
struct request {
	__le32 magic;
	__le32 id;             /* the client's own; the same when it asks again after a timeout */
	__le32 response_bytes; /* of payload that it wants, sizeof(struct request) … MOST_MESSAGE_BYTES */
	__le32 request_bytes;  /* of this request; 0: sizeof(struct request) */
	__u8 padding[104];
};

_Static_assert(sizeof(struct request) == 120, "a request is 120 bytes, about a read call of NFS 2");

#endif
