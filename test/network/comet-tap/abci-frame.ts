import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/** CometBFT sends requests, the application sends responses. */
export type Side = 'request' | 'response'

/** Field numbers of ABCI messages in `Request` and `Response`. */
const KINDS = {
  info: { request: 3, response: 4 },
  init_chain: { request: 5, response: 6 },
  check_tx: { request: 8, response: 9 },
  commit: { request: 11, response: 12 },
  prepare_proposal: { request: 16, response: 17 },
  process_proposal: { request: 17, response: 18 },
  finalize_block: { request: 20, response: 21 },
} as const

export type Kind = keyof typeof KINDS

const KIND_OF: Readonly<Record<Side, ReadonlyMap<number, Kind>>> = {
  request: new Map(Object.entries(KINDS).map(([kind, { request }]) => [request, kind as Kind])),
  response: new Map(Object.entries(KINDS).map(([kind, { response }]) => [response, kind as Kind])),
}

/** Field numbers in `RequestFinalizeBlock` and `ResponseFinalizeBlock`. */
const HEIGHT = 5
const APP_HASH = 5

/** Returns the kind of a message, or undefined if no rule uses it. */
export function kindOf(message: Uint8Array, side: Side): Kind | undefined {
  if (message.length === 0) return undefined
  const [field] = new BinaryReader(message).tag()
  return KIND_OF[side].get(field)
}

function field(message: Uint8Array, wanted: number, type: WireType): BinaryReader | undefined {
  const reader = new BinaryReader(message)
  reader.tag()
  const end = reader.uint32() + reader.pos
  while (reader.pos < end) {
    const [number, wire] = reader.tag()
    if (number === wanted && wire === type) return reader
    reader.skip(wire, number)
  }
  return undefined
}

/** Returns the height of a `RequestFinalizeBlock`. */
export function heightOf(message: Uint8Array): number {
  return Number(field(message, HEIGHT, WireType.Varint)?.int64() ?? 0)
}

/** Returns a `ResponseFinalizeBlock` with all bits of its app hash inverted. */
export function withWrongAppHash(message: Uint8Array): Uint8Array {
  const reader = field(message, APP_HASH, WireType.LengthDelimited)
  if (reader === undefined) throw new Error('the answer has no app hash')
  const { length } = reader.bytes()
  const changed = Uint8Array.from(message)
  for (let at = reader.pos - length; at < reader.pos; at++) changed[at] = ~(changed[at] as number)
  return changed
}

/** Returns a message with its length prefix, as sent over the socket. */
export function frameOf(message: Uint8Array): Uint8Array {
  return new BinaryWriter().bytes(message).finish()
}

/** Splits a stream into messages. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)

  /** Returns the messages that a chunk completes. */
  take(chunk: Uint8Array): readonly Uint8Array[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const messages: Uint8Array[] = []
    for (;;) {
      const head = this.#head()
      if (head === undefined || this.#rest.length < head.at + head.length) return messages
      messages.push(Uint8Array.from(this.#rest.subarray(head.at, head.at + head.length)))
      this.#rest = this.#rest.subarray(head.at + head.length)
    }
  }

  /** Returns offset and length of the next message, or undefined until its length is complete. */
  #head(): { readonly at: number; readonly length: number } | undefined {
    let length = 0
    for (let at = 0; at < this.#rest.length && at < 5; at++) {
      const byte = this.#rest[at] as number
      length += (byte & 0x7f) * 2 ** (7 * at)
      if (byte < 0x80) return { at: at + 1, length }
    }
    return undefined
  }
}
