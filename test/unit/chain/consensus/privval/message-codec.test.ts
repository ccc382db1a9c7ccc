import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import type { PrivvalMessage } from '../../../../../host/chain/consensus/privval/message.ts'
import {
  decodePrivval,
  encodePrivval,
  NO_PROPOSAL,
  NO_VOTE,
} from '../../../../../host/chain/consensus/privval/message-codec.ts'

// The vectors of CometBFT 0.38.19 (`privval/msgs_test.go`, TestPrivvalVectors).

const hash = (text: string) => Uint8Array.from(createHash('sha256').update(text).digest())
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

const blockId = {
  hash: hash('blockID_hash'),
  parts: { total: 1_000_000, hash: hash('blockID_part_set_header_hash') },
}
const timestamp = BigInt(Date.UTC(2019, 9, 13, 16, 14, 44)) * 1_000_000n
const vote = {
  ...NO_VOTE,
  type: 2,
  height: 3,
  round: 2,
  blockId,
  timestamp,
  validatorAddress: hash('validator_address').subarray(0, 20),
  validatorIndex: 56_789,
  extension: new TextEncoder().encode('extension'),
}
const proposal = {
  type: 1,
  height: 3,
  round: 2,
  polRound: 2,
  blockId,
  timestamp,
  signature: new TextEncoder().encode("it's a signature"),
}
const publicKey = hex('556a436f1218d30942efe798420f51dc9b6a311b929c578257457d05c5fcf230')
const refusal = { code: 1, description: "it's a error" }

const BLOCK_ID =
  '0a208b01023386c371778ecb6368573e539afc3cc860ec3a2f614e54fe5652f4fc80122608c0843d122072db3d959635dff1bb567bedaa70573392c5159666a3f8caf11e413aac52207a'
const VOTE = `0a7f080210031802224a${BLOCK_ID}2a0608f49a8ded0532146af1f4111082efb388211bc72c55bcd61e9ac3d538d5bb034a09657874656e73696f6e`
const PROPOSAL = `0a6e08011003180220022a4a${BLOCK_ID}320608f49a8ded053a10697427732061207369676e6174757265`

const VECTORS: readonly (readonly [PrivvalMessage, string])[] = [
  [{ kind: 'pingRequest' }, '3a00'],
  [{ kind: 'pingResponse' }, '4200'],
  [{ kind: 'pubKeyRequest', chainId: '' }, '0a00'],
  [
    { kind: 'pubKeyResponse', publicKey },
    '12240a220a20556a436f1218d30942efe798420f51dc9b6a311b929c578257457d05c5fcf230',
  ],
  [
    { kind: 'pubKeyResponse', publicKey: EMPTY_BYTES, refusal },
    '12140a0012100801120c697427732061206572726f72',
  ],
  [{ kind: 'signVoteRequest', vote, chainId: '' }, `1a8101${VOTE}`],
  [{ kind: 'signedVoteResponse', vote }, `228101${VOTE}`],
  [
    { kind: 'signedVoteResponse', vote: NO_VOTE, refusal },
    '22250a11220212002a0b088092b8c398feffffff0112100801120c697427732061206572726f72',
  ],
  [{ kind: 'signProposalRequest', proposal, chainId: '' }, `2a70${PROPOSAL}`],
  [{ kind: 'signedProposalResponse', proposal }, `3270${PROPOSAL}`],
  [
    { kind: 'signedProposalResponse', proposal: NO_PROPOSAL, refusal },
    '32250a112a021200320b088092b8c398feffffff0112100801120c697427732061206572726f72',
  ],
]

test.each(VECTORS)(
  '$kind has the bytes that CometBFT writes, and is read from them',
  (message, bytes) => {
    expect(Buffer.from(encodePrivval(message)).toString('hex')).toBe(bytes)
    expect(decodePrivval(hex(bytes))).toEqual(message)
  },
)

test.each(['', '08', '4a00', '0a05', '1a020a08'])('the bytes "%s" are no message', (bytes) => {
  expect(() => decodePrivval(hex(bytes))).toThrow(/^privval: /)
})
