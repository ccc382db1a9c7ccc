import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/** Who speaks: CometBFT asks, the application answers. */
export type Side = 'request' | 'response'

/** Messages of ABCI by the field that holds them, in `Request` and in `Response`. */
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

/** Of `RequestFinalizeBlock` and `ResponseFinalizeBlock`. */
const HEIGHT = 5
const APP_HASH = 5

/** The message of a frame; undefined where nobody looks at its kind. */
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

/** Height of a `RequestFinalizeBlock`. */
export function heightOf(message: Uint8Array): number {
  return Number(field(message, HEIGHT, WireType.Varint)?.int64() ?? 0)
}

/** A `ResponseFinalizeBlock` with the bits of its app hash turned over. */
export function withWrongAppHash(message: Uint8Array): Uint8Array {
  const reader = field(message, APP_HASH, WireType.LengthDelimited)
  if (reader === undefined) throw new Error('the answer has no app hash')
  const { length } = reader.bytes()
  const changed = Uint8Array.from(message)
  for (let at = reader.pos - length; at < reader.pos; at++) changed[at] = ~(changed[at] as number)
  return changed
}

/** A message with its length before it, as it goes over the socket. */
export function frameOf(message: Uint8Array): Uint8Array {
  return new BinaryWriter().bytes(message).finish()
}

/** Cuts a stream into messages. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)

  /** The messages that a chunk completes. */
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

  /** Where the next message begins and how long it is; undefined while its length is not whole. */
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
