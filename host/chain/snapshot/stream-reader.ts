import { compareBytes } from '../../base/bytes.ts'
import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { flatPosition } from '../../storage/commit/flatkv/flat-key.ts'
import { isFlatRow, rowHeight } from '../../storage/commit/flatkv/flat-row.ts'
import { DATABASES, type DatabaseName } from '../../storage/commit/flatkv/flatkv.ts'
import type { IavlItem } from '../../storage/commit/iavl/iavl-builder.ts'
import { MAX_KEY } from '../../storage/store/lmdb/lmdb-env.ts'
import { type NodeItem, readItems, type SnapshotItem } from './item-codec.ts'
import { PieceReader } from './record-stream.ts'
import { EVM_LABELS, invalidSnapshot, SECTIONS } from './snapshot-format.ts'

/** Receives the items of a snapshot in stream order. */
export interface SnapshotSink {
  block(record: Uint8Array): void
  decided(record: Uint8Array): void
  /** The stream has no commit of the latest block: its node ran under CometBFT. */
  undecided(): void
  /** Starts the tree of a module. Its nodes follow in post-order. */
  openTree(module: string): void
  node(node: IavlItem): void
  closeTree(): void
  row(database: DatabaseName, key: Uint8Array, row: Uint8Array): void
  code(code: Uint8Array): void
  appHash(appHash: Uint8Array): void
}

/** The parts of the stream in order. Each occurs once, except that there are several modules. */
const ORDER = [
  'start',
  'blocks',
  'decided',
  'modules',
  'rows',
  'bytecode',
  'appHash',
  'end',
] as const

type Part = (typeof ORDER)[number]

/** Parts that a stream may omit. */
const OPTIONAL: readonly Part[] = ['decided', 'modules']

/** Position of a reader between two chunks, from which another reader can resume. */
export interface StreamPosition {
  readonly part: Part
  /** Last module name or physical key read, in hex. */
  readonly newest: string
}

export const STREAM_START: StreamPosition = { part: 'start', newest: '' }

const EXTENSIONS: readonly (readonly [string, Part])[] = [
  [SECTIONS.blocks, 'blocks'],
  [SECTIONS.decided, 'decided'],
  [SECTIONS.bytecode, 'bytecode'],
  [SECTIONS.appHash, 'appHash'],
]

/** Reads the stream chunk by chunk, enforces its order, and passes its items to a sink. */
export class StreamReader {
  readonly #sink: SnapshotSink
  readonly #height: number
  readonly #records = new PieceReader()
  #part: Part
  #newest: Uint8Array
  #database: DatabaseName = DATABASES[0]
  #isTreeOpen = false

  /** @param position of an earlier reader, whose chunks are not read again */
  constructor(sink: SnapshotSink, height: number, position: StreamPosition) {
    this.#sink = sink
    this.#height = height
    this.#part = position.part
    this.#newest = Buffer.from(position.newest, 'hex')
    if (position.part === 'rows' && position.newest !== '') {
      this.#database = flatPosition(this.#newest).database
    }
  }

  /**
   * Position from which another reader can read the next chunk. Undefined inside the blocks and inside a tree, which
   * must be read as a whole.
   */
  get position(): StreamPosition | undefined {
    if (this.#isTreeOpen || ORDER.indexOf(this.#part) < ORDER.indexOf('modules')) return undefined
    return { part: this.#part, newest: Buffer.from(this.#newest).toString('hex') }
  }

  /**
   * Reads a chunk.
   * @param name of the chunk, for messages
   * @throws SNAPSHOT_INVALID
   */
  read(chunk: Uint8Array, name: string): void {
    try {
      for (const item of readItems(chunk)) this.#take(item)
    } catch (thrown) {
      if (thrown instanceof LockstepError && thrown.code === 'SNAPSHOT_INVALID') {
        throw invalidSnapshot(`${name}: ${thrown.message}`, { cause: thrown })
      }
      // These are errors of the byte readers; others come from the sink.
      const isBytes = thrown instanceof LockstepError && thrown.code === 'STORE_CORRUPTED'
      if (!isBytes && !(thrown instanceof TypeError)) throw thrown
      throw invalidSnapshot(`${name} does not decode: ${messageOf(thrown)}`, { cause: thrown })
    }
  }

  /** Checks that the stream is complete. */
  finish(): void {
    if (this.#part !== 'end') throw invalidSnapshot(`the stream ends inside of ${this.#part}`)
  }

  #take(item: SnapshotItem): void {
    switch (item.kind) {
      case 'store':
        this.#openStore(item.name)
        break
      case 'extension':
        this.#openExtension(item.name, item.format)
        break
      case 'node':
        this.#takeNode(item)
        break
      case 'payload':
        this.#takePayload(item.payload)
        break
    }
  }

  #openStore(name: string): void {
    const isEvm = EVM_LABELS.includes(name)
    if (!isEvm && this.#part === 'modules') {
      const key = Buffer.from(name)
      if (compareBytes(key, this.#newest) <= 0)
        throw invalidSnapshot(`store ${name} is out of order`)
    } else {
      this.#enter(isEvm ? 'rows' : 'modules', `store ${name}`)
    }
    this.#closeTree()
    this.#newest = isEvm ? new Uint8Array(0) : Buffer.from(name)
    if (isEvm) return
    this.#sink.openTree(name)
    this.#isTreeOpen = true
  }

  #openExtension(name: string, format: number): void {
    const known = EXTENSIONS.find(([each]) => each === name)
    if (known === undefined || format !== 1) {
      throw invalidSnapshot(`extension ${name} of format ${format} is unknown`)
    }
    this.#enter(known[1], `extension ${name}`)
    this.#closeTree()
    this.#newest = new Uint8Array(0)
  }

  /** Enters a later part of the stream. Only optional parts may be skipped. */
  #enter(part: Part, what: string): void {
    const skipped = ORDER.slice(ORDER.indexOf(this.#part) + 1, ORDER.indexOf(part))
    const isAhead = ORDER.indexOf(part) > ORDER.indexOf(this.#part)
    if (!isAhead || skipped.some((each) => !OPTIONAL.includes(each)) || this.#records.isOpen) {
      throw invalidSnapshot(`${what} is out of order: it is inside of ${this.#part}`)
    }
    this.#part = part
    if (skipped.includes('decided')) this.#sink.undecided()
  }

  #closeTree(): void {
    if (this.#isTreeOpen) this.#sink.closeTree()
    this.#isTreeOpen = false
  }

  #takeNode(item: NodeItem): void {
    if (item.version > this.#height) {
      throw invalidSnapshot(`a node was written at height ${item.version}, above the snapshot's`)
    }
    if (this.#isTreeOpen) this.#sink.node(item)
    else if (this.#part === 'rows') this.#takeRow(item)
    else throw invalidSnapshot(`a node is inside of ${this.#part}`)
  }

  #takeRow({ key: physical, value, version, height }: NodeItem): void {
    const { database, key } = flatPosition(physical)
    if (key.length > MAX_KEY)
      throw invalidSnapshot(`a row's key has ${key.length} bytes, over ${MAX_KEY}`)
    if (database === this.#database) {
      if (compareBytes(physical, this.#newest) <= 0 && this.#newest.length > 0) {
        throw invalidSnapshot(`row ${formatData(physical)} is out of order`)
      }
    } else if (DATABASES.indexOf(database) < DATABASES.indexOf(this.#database)) {
      throw invalidSnapshot(`row ${formatData(physical)} is out of order`)
    }
    if (value === undefined || height !== 0 || !isFlatRow(database, value)) {
      throw invalidSnapshot(`row ${formatData(physical)} does not have the form of ${database}`)
    }
    if (rowHeight(value) !== version) {
      throw invalidSnapshot(
        `row ${formatData(physical)} is of height ${rowHeight(value)}, not ${version}`,
      )
    }
    this.#database = database
    this.#newest = physical.slice()
    this.#sink.row(database, key, value)
  }

  #takePayload(payload: Uint8Array): void {
    switch (this.#part) {
      case 'blocks': {
        const record = this.#records.add(payload)
        if (record !== undefined) this.#sink.block(record)
        break
      }
      case 'decided': {
        const record = this.#records.add(payload)
        if (record !== undefined) this.#sink.decided(record)
        break
      }
      case 'bytecode':
        this.#sink.code(payload)
        break
      case 'appHash':
        this.#part = 'end'
        this.#sink.appHash(payload)
        break
      default:
        throw invalidSnapshot(`a payload is inside of ${this.#part}`)
    }
  }
}
