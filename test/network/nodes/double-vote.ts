import { sign } from 'node:crypto'
import { join } from 'node:path'
import { hexDigits } from '../../../host/base/hex.ts'
import { formatTime, parseTime } from '../../../host/base/time.ts'
import { cometAddress } from '../../../host/chain/consensus/comet/validator-set.ts'
import { VOTE_TYPE, voteSignBytes } from '../../../host/chain/consensus/comet/vote.ts'
import { readValidatorKey } from '../../../host/chain/consensus/validator/key-file.ts'
import type { NetworkNode } from './network-node.ts'

interface Validators {
  readonly validators: readonly { readonly address: string; readonly voting_power: string }[]
}
interface Header {
  readonly header: { readonly chain_id: string; readonly time: string }
}

const upper = (bytes: Uint8Array) => hexDigits(bytes).toUpperCase()

/** Returns evidence, in CometBFT's JSON, that a validator has voted for two blocks at a height of its chain. */
export async function doubleVote(node: NetworkNode, height: number): Promise<object> {
  const key = await readValidatorKey(join(node.home, 'config/priv_validator_key.json'))
  const address = upper(cometAddress(key.publicKey))
  const { header } = await node.ask<Header>(`/header?height=${height}`)
  const { validators } = await node.ask<Validators>(`/validators?height=${height}&per_page=100`)
  const index = validators.findIndex((validator) => validator.address === address)
  const vote = (seed: number) => {
    const hash = new Uint8Array(32).fill(seed)
    const blockId = { hash, parts: { total: 1, hash } }
    const timestamp = parseTime(header.time)
    const signed = { type: VOTE_TYPE.PRECOMMIT, height, round: 0, blockId, timestamp }
    const signature = sign(null, voteSignBytes(header.chain_id, signed), key.signer)
    return {
      type: VOTE_TYPE.PRECOMMIT,
      height: `${height}`,
      round: 0,
      block_id: { hash: upper(hash), parts: { total: 1, hash: upper(hash) } },
      timestamp: formatTime(timestamp),
      validator_address: address,
      validator_index: index,
      signature: signature.toString('base64'),
      extension: null,
      extension_signature: null,
    }
  }
  return {
    type: 'tendermint/DuplicateVoteEvidence',
    value: {
      vote_a: vote(1),
      vote_b: vote(2),
      TotalVotingPower: `${validators.reduce((sum, { voting_power }) => sum + Number(voting_power), 0)}`,
      ValidatorPower: validators[index]?.voting_power,
      Timestamp: header.time,
    },
  }
}
