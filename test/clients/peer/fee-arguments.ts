import type { Request } from './bad-requests.ts'

type Members = Readonly<Record<string, unknown>>

const ADDRESS = `0x${'77'.repeat(20)}`
const BLOB_HASH = `0x01${'22'.repeat(31)}`
const PRICE = '0x77359400'

/** Groups of members: each call takes one variant of each group. */
const GROUPS: readonly (readonly Members[])[] = [
  [{}, { gasPrice: '0x0' }, { gasPrice: PRICE }],
  [
    {},
    { maxFeePerGas: PRICE },
    { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
    { maxPriorityFeePerGas: '0x1' },
    { maxFeePerGas: PRICE, maxPriorityFeePerGas: '0x1' },
    { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' },
    { maxFeePerGas: PRICE, maxPriorityFeePerGas: '0x77359401' },
  ],
  [
    {},
    {
      authorizationList: [
        { chainId: '0x0', address: ADDRESS, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' },
      ],
    },
  ],
  [{}, { blobVersionedHashes: [] }, { blobVersionedHashes: [BLOB_HASH] }],
  [{}, { maxFeePerBlobGas: '0x0' }, { maxFeePerBlobGas: '0x1' }],
  [{ to: ADDRESS }, { input: '0x00' }],
]

/** Returns calls whose members may contradict each other: both kinds of gas price, delegations, blobs, creations. */
export function feeArguments(from: string): Request[] {
  let calls: Members[] = [{ from }]
  for (const group of GROUPS) {
    calls = calls.flatMap((call) => group.map((members) => ({ ...call, ...members })))
  }
  return calls.flatMap((call): Request[] => [
    ['eth_call', call, 'latest'],
    ['eth_estimateGas', call, 'latest'],
    ['eth_createAccessList', call, 'latest'],
    ['eth_fillTransaction', call],
    ['eth_simulateV1', { blockStateCalls: [{ calls: [call] }] }, 'latest'],
    ['debug_traceCall', call, 'latest', { tracer: 'callTracer' }],
  ])
}
