#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: plain.py TRACE FILE

Writes a trace again with all columns stored plain (zstd is asked for through its library), as the
seeds of the fuzz targets `trace` and `analysis` are: what is compressed cannot be changed a bit.
Checksums are not renewed: those targets do not compare them. A seed of `analysis` has a partition and
a zero byte before it.
"""

import ctypes
import struct
import sys

HEADER, COLUMNS, CHUNK = 16, 6, 8 + 8 * 6 + 8


def unpacked(zstd, stored, length):
    if len(stored) == length:
        return stored
    column = ctypes.create_string_buffer(length)
    if zstd.ZSTD_decompress(column, ctypes.c_size_t(length), stored, ctypes.c_size_t(len(stored))) != length:
        sys.exit("a column that cannot be decompressed")
    return column.raw


def main():
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    with open(sys.argv[1], "rb") as file:
        trace = file.read()
    out, at = [trace[:HEADER]], HEADER
    while at < len(trace):
        header = bytearray(trace[at:at + CHUNK])
        lengths = struct.unpack_from(f"<{2 * COLUMNS}I", header, 8)
        at += CHUNK
        struct.pack_into(f"<{COLUMNS}I", header, 8 + 4 * COLUMNS, *lengths[:COLUMNS])
        out.append(header)
        for raw, stored in zip(lengths, lengths[COLUMNS:]):
            out.append(unpacked(zstd, trace[at:at + stored], raw))
            at += stored
    with open(sys.argv[2], "wb") as file:
        file.write(b"".join(out))


if __name__ == "__main__":
    main()
