import type { ByRevision } from './revision.ts'

/**
 * A limit of the protocol, or of the interface to the host. Limits that some revisions change become functions of the
 * revision.
 */
export interface Limit {
  readonly name: string
  readonly amount: number | bigint | ByRevision
  readonly doc: string
  /** Its types in AssemblyScript and in TypeScript. */
  readonly engine: 'i32' | 'u32' | 'u64' | 'usize'
  /** Undefined if the host does not use the limit. */
  readonly host?: 'number' | 'bigint'
}

export const LIMITS: readonly Limit[] = [
  {
    name: 'maxDepth',
    amount: 1024,
    doc: "Deepest frame: the transaction's own has depth 0 (yellow paper, section 8).",
    engine: 'i32',
  },
  { name: 'stackWords', amount: 1024, doc: 'Words of a stack.', engine: 'usize' },
  {
    name: 'maxCode',
    amount: [
      ['Frontier', 24_576],
      ['Amsterdam', 65_536],
    ],
    doc: "Bytes of a contract's code, from Spurious Dragon on (EIP-170, EIP-7954).",
    engine: 'u64',
    host: 'number',
  },
  {
    name: 'maxInitcode',
    amount: [
      ['Frontier', 49_152],
      ['Amsterdam', 131_072],
    ],
    doc: 'Bytes of initcode that a creation may carry, from Shanghai on (EIP-3860, EIP-7954).',
    engine: 'u64',
    host: 'number',
  },
  {
    name: 'maxTransactionGas',
    amount: 16_777_216,
    doc: 'Gas of one transaction, from Osaka on (EIP-7825); since Amsterdam without state gas (EIP-8037).',
    engine: 'u64',
    host: 'bigint',
  },
  {
    name: 'maxTotalGas',
    amount: 4_294_967_295,
    doc: 'Gas and state gas of one transaction, from Amsterdam on.',
    engine: 'u64',
    host: 'bigint',
  },
  {
    name: 'maxNonce',
    amount: 2n ** 64n - 1n,
    doc: 'An account with this nonce can send no more (EIP-2681).',
    engine: 'u64',
    host: 'bigint',
  },
  {
    name: 'maxBlobs',
    amount: [
      ['Frontier', 6],
      ['Prague', 9],
      ['Osaka', 6],
    ],
    doc: 'Blobs that a transaction may carry (EIP-4844, EIP-7691, EIP-7594).',
    engine: 'u32',
  },
  {
    name: 'refundQuotient',
    amount: [
      ['Frontier', 2],
      ['London', 5],
    ],
    doc: 'Refunds are limited to the gas used divided by this (EIP-3529).',
    engine: 'u64',
  },
  {
    name: 'maxModexpLength',
    amount: 1024,
    doc: 'Bytes of an operand of MODEXP, from Osaka on (EIP-7823).',
    engine: 'u64',
  },
  {
    name: 'maxMoved',
    amount: 32,
    doc: 'Most precompiles that a simulation may move, limited by the room in the block.',
    engine: 'u32',
    host: 'number',
  },
]
