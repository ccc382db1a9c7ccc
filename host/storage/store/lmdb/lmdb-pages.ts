import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import { readFully } from '../../table/file-bytes.ts'

// The file format of lmdb 3.5: pages of 4096 bytes, numbers little-endian (mdb.c: MDB_page_header, MDB_meta, MDB_db).

export const PAGE_BYTES = 4096
/** Page header: page number 8, transaction 8, padding 2, flags 2, and 4 bytes that depend on the flags. */
export const PAGE_HEADER = 24
export const PAGE_FLAGS = 18
export const PAGE_EXTENT = 20

const META_FLAG = 8
const MAGIC = 0xbeefc0de
const DATA_VERSION = 2
/** Keys of the list of free pages are integers. */
const INTEGER_KEYS = 8
const META_PAGES = 2
/** Larger than any disk. */
const LARGEST_MAP = 2 ** 46
/** The root of an empty tree. */
const NO_PAGE = 2n ** 64n - 1n

/** A tree as the page above it describes it. */
export interface TreeHead {
  readonly flags: number
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
  /** Undefined for an empty tree. */
  readonly root: number | undefined
}

/** One of the two pages at the start of an environment; the one of the later transaction is valid. */
export interface MetaPage {
  readonly transaction: number
  readonly lastPage: number
  readonly free: TreeHead
  readonly main: TreeHead
}

/** Bytes of a tree's head. */
export const TREE_HEAD = 48

/** Returns a 64-bit number; Infinity if it exceeds any file size. */
export function longAt(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4)
  return high > 0x1fffff ? Number.POSITIVE_INFINITY : high * 2 ** 32 + bytes.readUInt32LE(at)
}

export function readTreeHead(bytes: Buffer, at: number): TreeHead {
  const root = bytes.readBigUInt64LE(at + 40)
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: longAt(bytes, at + 8),
    leafPages: longAt(bytes, at + 16),
    overflowPages: longAt(bytes, at + 24),
    entries: longAt(bytes, at + 32),
    root: root === NO_PAGE ? undefined : longAt(bytes, at + 40),
  }
}

/**
 * The file of an environment that is not being written, read page by page without a map: a read either returns bytes
 * or throws, whatever the file contains.
 */
export class LmdbPages {
  readonly path: string
  readonly size: number
  readonly #file: number

  /** @returns undefined if the file is missing or empty. @throws errors of the file system */
  static open(dir: string): LmdbPages | undefined {
    const path = join(dir, 'data.mdb')
    let file: number
    try {
      file = openSync(path, 'r')
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw thrown
    }
    const stat = fstatSync(file)
    if (stat.isFile() && stat.size > 0) return new LmdbPages(path, file, stat.size)
    closeSync(file)
    if (stat.isFile()) return undefined
    throw new LockstepError('STORE_CORRUPTED', `${path} is not a file`)
  }

  private constructor(path: string, file: number, size: number) {
    this.path = path
    this.size = size
    this.#file = file
  }

  damage(what: string): LockstepError {
    return new LockstepError('STORE_CORRUPTED', `${this.path} is damaged: ${what}`, {
      data: { path: this.path },
    })
  }

  /** Reads pages from `page` on until `bytes` is full. @throws STORE_CORRUPTED if the file is truncated. */
  read(page: number, bytes: Buffer): void {
    const offset = page * PAGE_BYTES
    // A damaged page number may be up to 2^64, which is not a valid file offset.
    const isOffset = Number.isSafeInteger(offset)
    if (isOffset && readFully(this.#file, bytes, bytes.length, offset) === bytes.length) return
    throw this.damage(
      `it is truncated: ${this.size} bytes, page ${page} ends at ${offset + bytes.length}`,
    )
  }

  /** Returns the later of the two heads. @throws STORE_CORRUPTED */
  meta(): MetaPage {
    const bytes = Buffer.alloc(PAGE_BYTES)
    const metas = Array.from({ length: META_PAGES }, (_, page) => {
      this.read(page, bytes)
      return this.#decodeMeta(page, bytes)
    })
    const [first, second] = metas as [MetaPage, MetaPage]
    const [older, newer] =
      first.transaction < second.transaction ? [first, second] : [second, first]
    // Transactions write the two heads alternately.
    if (newer.transaction > 0 && newer.transaction !== older.transaction + 1) {
      throw this.damage(
        `its heads are of transactions ${older.transaction} and ${newer.transaction}`,
      )
    }
    return newer
  }

  close(): void {
    closeSync(this.#file)
  }

  #decodeMeta(page: number, bytes: Buffer): MetaPage {
    const at = PAGE_HEADER
    if (bytes.readUInt16LE(PAGE_FLAGS) !== META_FLAG || bytes.readUInt32LE(at) !== MAGIC) {
      throw this.damage(`page ${page} is not the head of an LMDB file`)
    }
    const version = bytes.readUInt32LE(at + 4)
    if (version !== DATA_VERSION) throw this.damage(`its format is ${version}, not ${DATA_VERSION}`)
    const address = longAt(bytes, at + 8)
    const map = longAt(bytes, at + 16)
    const pageBytes = bytes.readUInt32LE(at + 24)
    const free = readTreeHead(bytes, at + 24)
    const main = readTreeHead(bytes, at + 24 + TREE_HEAD)
    const lastPage = longAt(bytes, at + 24 + 2 * TREE_HEAD)
    const transaction = longAt(bytes, at + 32 + 2 * TREE_HEAD)
    const isSound =
      address === 0 &&
      pageBytes === PAGE_BYTES &&
      map % PAGE_BYTES === 0 &&
      map <= LARGEST_MAP &&
      map >= (lastPage + 1) * PAGE_BYTES &&
      lastPage >= META_PAGES - 1 &&
      free.flags === INTEGER_KEYS &&
      main.flags === 0 &&
      transaction <= Number.MAX_SAFE_INTEGER &&
      (transaction === 0 || transaction % META_PAGES === page)
    if (!isSound) throw this.damage(`the numbers in page ${page}, a head, are inconsistent`)
    return { transaction, lastPage, free, main }
  }
}
