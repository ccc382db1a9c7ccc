import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { type BlockId, decodeBlockId, encodeBlockId, NO_BLOCK_ID } from './block-id.ts'
import { merkleRoot } from './merkle.ts'
import {
  putBytes,
  putInteger,
  putMessage,
  putString,
  readProtoInteger,
  readProtoMessage,
  readProtoString,
} from './proto.ts'
import { decodeTimestamp, encodeTimestamp } from './timestamp.ts'

/** Version of the block format and rules: CometBFT 0.34 to 0.38. */
export const BLOCK_PROTOCOL = 11

/** CometBFT's block header. Times are nanoseconds since 1970; hashes 32 bytes, addresses 20. */
export interface CometHeader {
  readonly version: { readonly block: number; readonly app: number }
  readonly chainId: string
  readonly height: number
  readonly time: bigint
  readonly lastBlockId: BlockId
  readonly lastCommitHash: Uint8Array
  readonly dataHash: Uint8Array
  readonly validatorsHash: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly consensusHash: Uint8Array
  /** App hash after the parent block. */
  readonly appHash: Uint8Array
  /** Root over the results of the parent block's transactions. */
  readonly lastResultsHash: Uint8Array
  readonly evidenceHash: Uint8Array
  readonly proposerAddress: Uint8Array
}

const HASHES = [
  'lastCommitHash',
  'dataHash',
  'validatorsHash',
  'nextValidatorsHash',
  'consensusHash',
  'appHash',
  'lastResultsHash',
  'evidenceHash',
  'proposerAddress',
] as const satisfies readonly (keyof CometHeader)[]

/** Field number of the first of `HASHES`; the others follow it. */
const FIRST_HASH_FIELD = 6

function encodeVersion(version: CometHeader['version']): Uint8Array {
  const writer = new BinaryWriter()
  putInteger(writer, 1, version.block)
  putInteger(writer, 2, version.app)
  return writer.finish()
}

function decodeVersion(encoded: Uint8Array): CometHeader['version'] {
  const version = { block: 0, app: 0 }
  readProtoMessage(encoded, {
    1: (reader) => {
      version.block = readProtoInteger(reader)
    },
    2: (reader) => {
      version.app = readProtoInteger(reader)
    },
  })
  return version
}

export function encodeCometHeader(header: CometHeader): Uint8Array {
  const writer = new BinaryWriter()
  putMessage(writer, 1, encodeVersion(header.version))
  putString(writer, 2, header.chainId)
  putInteger(writer, 3, header.height)
  putMessage(writer, 4, encodeTimestamp(header.time))
  putMessage(writer, 5, encodeBlockId(header.lastBlockId))
  HASHES.forEach((name, i) => {
    putBytes(writer, FIRST_HASH_FIELD + i, header[name])
  })
  return writer.finish()
}

export function decodeCometHeader(encoded: Uint8Array): CometHeader {
  let version = { block: 0, app: 0 } as CometHeader['version']
  let chainId = ''
  let height = 0
  let time = 0n
  let lastBlockId = NO_BLOCK_ID
  const hashes = new Map<number, Uint8Array>()
  readProtoMessage(encoded, {
    1: (reader) => {
      version = decodeVersion(reader.bytes())
    },
    2: (reader) => {
      chainId = readProtoString(reader)
    },
    3: (reader) => {
      height = readProtoInteger(reader)
    },
    4: (reader) => {
      time = decodeTimestamp(reader.bytes())
    },
    5: (reader) => {
      lastBlockId = decodeBlockId(reader.bytes())
    },
    ...Object.fromEntries(
      HASHES.map((_, i) => [
        FIRST_HASH_FIELD + i,
        (reader: { bytes(): Uint8Array }) => {
          hashes.set(i, reader.bytes())
        },
      ]),
    ),
  })
  const hash = (name: (typeof HASHES)[number]): Uint8Array =>
    hashes.get(HASHES.indexOf(name)) ?? EMPTY_BYTES
  return {
    version,
    chainId,
    height,
    time,
    lastBlockId,
    lastCommitHash: hash('lastCommitHash'),
    dataHash: hash('dataHash'),
    validatorsHash: hash('validatorsHash'),
    nextValidatorsHash: hash('nextValidatorsHash'),
    consensusHash: hash('consensusHash'),
    appHash: hash('appHash'),
    lastResultsHash: hash('lastResultsHash'),
    evidenceHash: hash('evidenceHash'),
    proposerAddress: hash('proposerAddress'),
  }
}

/** Encodes a scalar as a leaf of the header's tree, in google.protobuf's wrapper message. */
function wrap(put: (writer: BinaryWriter) => void): Uint8Array {
  const writer = new BinaryWriter()
  put(writer)
  return writer.finish()
}

/** Returns the hash of a header: the Merkle root over its fourteen encoded fields (CometBFT spec, `Header`). */
export function hashCometHeader(header: CometHeader): Uint8Array {
  return merkleRoot([
    encodeVersion(header.version),
    wrap((writer) => putString(writer, 1, header.chainId)),
    wrap((writer) => putInteger(writer, 1, header.height)),
    encodeTimestamp(header.time),
    encodeBlockId(header.lastBlockId),
    ...HASHES.map((name) => wrap((writer) => putBytes(writer, 1, header[name]))),
  ])
}
