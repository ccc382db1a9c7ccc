import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { AbciFrameReader } from '../../../host/chain/consensus/abci/frame-reader.ts'
import {
  putBytes,
  putInteger,
  putMessage,
  putString,
} from '../../../host/chain/consensus/comet/proto.ts'
import { encodeTimestamp } from '../../../host/chain/consensus/comet/timestamp.ts'

/** A response, with its field number in `Response`. */
export interface Answer {
  readonly field: number
  readonly message: Uint8Array
}

/** Field numbers of `Response`. */
export const ANSWER = {
  exception: 1,
  echo: 2,
  flush: 3,
  info: 4,
  initChain: 6,
  query: 7,
  checkTx: 9,
  commit: 12,
  listSnapshots: 13,
  loadSnapshotChunk: 15,
  prepareProposal: 17,
  processProposal: 18,
  extendVote: 19,
  verifyVoteExtension: 20,
  finalizeBlock: 21,
} as const

/** Returns a request with its length prefix. @param field field number in `Request` */
export function frame(field: number, put: (writer: BinaryWriter) => void = () => {}): Uint8Array {
  const writer = new BinaryWriter()
  writer.fork().tag(field, WireType.LengthDelimited).fork()
  put(writer)
  return writer.join().join().finish()
}

export const echo = (message: string): Uint8Array =>
  frame(1, (writer) => writer.tag(1, WireType.LengthDelimited).string(message))
export const flush = (): Uint8Array => frame(2)
export const info = (): Uint8Array => frame(3)
export const query = (path: string): Uint8Array =>
  frame(6, (writer) => writer.tag(2, WireType.LengthDelimited).string(path))
export const checkTx = (raw: Uint8Array): Uint8Array =>
  frame(8, (writer) => writer.tag(1, WireType.LengthDelimited).bytes(raw))
export const commit = (): Uint8Array => frame(11)

/** A decided block. */
export interface DecidedRequest {
  readonly height: number
  /** Nanoseconds since 1970. */
  readonly time: bigint
  readonly hash: Uint8Array
  readonly proposerAddress: Uint8Array
  readonly transactions: readonly Uint8Array[]
}

function putTime(writer: BinaryWriter, field: number, time: bigint): void {
  writer.tag(field, WireType.LengthDelimited).bytes(encodeTimestamp(time))
}

export const initChain = (chainId: string, time: bigint): Uint8Array =>
  frame(5, (writer) => {
    putTime(writer, 1, time)
    putString(writer, 2, chainId)
    putInteger(writer, 6, 1)
  })

/** Returns a `FinalizeBlock` request, or one of another method with the same fields. */
export const finalizeBlock = (block: DecidedRequest, field = 20): Uint8Array =>
  frame(field, (writer) => {
    for (const raw of block.transactions) putMessage(writer, 1, raw)
    putBytes(writer, 4, block.hash)
    putInteger(writer, 5, block.height)
    putTime(writer, 6, block.time)
    putBytes(writer, 8, block.proposerAddress)
  })

/** Returns the content of a string or bytes field of a message, empty if it is absent. */
export function fieldOf(message: Uint8Array, wanted: number): Uint8Array {
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === wanted && wireType === WireType.LengthDelimited) return reader.bytes()
    reader.skip(wireType, field)
  }
  return new Uint8Array()
}

export const textOf = ({ message }: Answer, field = 1): string =>
  Buffer.from(fieldOf(message, field)).toString()

/** The other side of an ABCI connection, which sends whatever a test requests. */
export class AbciPeer {
  readonly socket: Socket
  readonly answers: Answer[] = []
  readonly #frames = new AbciFrameReader(1 << 28)
  #waiting: (() => void) | undefined
  hasEnded = false

  static async connect(path: string): Promise<AbciPeer> {
    const socket = createConnection(path)
    await once(socket, 'connect')
    return new AbciPeer(socket)
  }

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      for (const message of this.#frames.push(chunk)) {
        const reader = new BinaryReader(message)
        const [field] = reader.tag()
        this.answers.push({ field, message: reader.bytes() })
      }
      this.#waiting?.()
    })
    socket.on('close', () => {
      this.hasEnded = true
      this.#waiting?.()
    })
  }

  send(...messages: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(messages))
  }

  /** Waits for this many responses or the end of the connection. Returns the responses so far. */
  async receive(count: number): Promise<readonly Answer[]> {
    while (this.answers.length < count && !this.hasEnded) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    return this.answers
  }

  async ended(): Promise<readonly Answer[]> {
    return this.receive(Number.POSITIVE_INFINITY)
  }
}
