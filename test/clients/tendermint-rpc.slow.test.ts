import { createPublicKey, verify } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  Comet38Client,
  type comet38,
  type ReadonlyDateWithNanoseconds,
} from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fieldKey, VALIDATOR_FIELD } from '../../host/evm/modules/staking-rows.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { type Claim, verifyQuery } from '../support/node/light-client.ts'

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

function lengthDelimited(field: number, payload: Iterable<number>): number[] {
  const bytes = [...payload]
  return [field * 8 + 2, ...varint(bytes.length), ...bytes]
}

function fixed64(field: number, value: number): number[] {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(value))
  return [field * 8 + 1, ...bytes]
}

function timestamp(time: ReadonlyDateWithNanoseconds): number[] {
  const milliseconds = time.getTime()
  const seconds = Math.floor(milliseconds / 1000)
  const nanos = (milliseconds - seconds * 1000) * 1e6 + (time.nanoseconds ?? 0)
  return [8, ...varint(seconds), ...(nanos === 0 ? [] : [16, ...varint(nanos)])]
}

/** Encodes the CanonicalVote of a precommit in round 0, length-prefixed (CometBFT spec, core/data_structures). */
function precommitBytes(
  chainId: string,
  height: number,
  blockId: comet38.BlockId,
  time: ReadonlyDateWithNanoseconds,
): Uint8Array {
  const parts = [8, ...varint(blockId.parts.total), ...lengthDelimited(2, blockId.parts.hash)]
  const vote = [
    ...[8, 2],
    ...fixed64(2, height),
    ...lengthDelimited(4, [...lengthDelimited(1, blockId.hash), ...lengthDelimited(2, parts)]),
    ...lengthDelimited(5, timestamp(time)),
    ...lengthDelimited(6, Buffer.from(chainId)),
  ]
  return Uint8Array.from([...varint(vote.length), ...vote])
}

function ed25519Key(raw: Uint8Array): ReturnType<typeof createPublicKey> {
  const x = Buffer.from(raw).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

describe('Comet38Client against the daemon', () => {
  const home = makeHome()
  let daemon: Daemon
  let client: Comet38Client

  beforeAll(async () => {
    daemon = await startDaemon({ home })
    // The client cannot parse the status before the first block, which CometBFT sends in the same form.
    const status = `${daemon.ready.consensus}/status`
    while ((await (await fetch(status)).text()).includes('"latest_block_height":"0"'))
      await nextTurn()
    client = await Comet38Client.connect(daemon.ready.consensus)
  })

  afterAll(async () => {
    client?.disconnect()
    await daemon?.stop()
    removeHome(home)
  })

  test('reads the status', async () => {
    const status = await client.status()
    expect(status.nodeInfo.network).toBe(String(daemon.ready.chainId))
    expect(status.syncInfo.catchingUp).toBe(false)
    expect(status.syncInfo.latestBlockHeight).toBeGreaterThanOrEqual(1)
    expect(status.validatorInfo.votingPower).toBe(10n)
  })

  test('reads a block whose hash and parent match its neighbours', async () => {
    const height = await heightAtLeast(3)
    const [parent, block] = await Promise.all([client.block(height - 1), client.block(height)])
    expect(block.block.header.height).toBe(height)
    expect(block.block.header.lastBlockId?.hash).toEqual(parent.blockId.hash)
    expect(block.block.lastCommit?.blockId.hash).toEqual(parent.blockId.hash)
    expect(block.block.header.chainId).toBe(String(daemon.ready.chainId))
  })

  test('lists the validator and verifies its signature on a commit', async () => {
    const height = await heightAtLeast(2)
    const { validators } = await client.validators({ height })
    expect(validators).toHaveLength(1)
    const [validator] = validators
    const { commit, header } = await client.commit(height)
    const [signature] = commit.signatures
    expect(signature?.validatorAddress).toEqual(validator?.address)
    const bytes = precommitBytes(
      header.chainId,
      commit.height,
      commit.blockId,
      signature?.timestamp as ReadonlyDateWithNanoseconds,
    )
    const key = ed25519Key(validator?.pubkey?.data as Uint8Array)
    expect(verify(null, bytes, key, signature?.signature as Uint8Array)).toBe(true)
    bytes[3] = (bytes[3] as number) ^ 1
    expect(verify(null, bytes, key, signature?.signature as Uint8Array)).toBe(false)
  })

  test('returns the app hash that the next header carries', async () => {
    const info = await client.abciInfo()
    const height = info.lastBlockHeight as number
    await heightAtLeast(height + 1)
    const next = await client.block(height + 1)
    expect(next.block.header.appHash).toEqual(info.lastBlockAppHash)
  })

  test('gets proofs of the presence and absence of keys that the next header verifies', async () => {
    const [validator] = (await client.validators({})).validators
    const claims: Claim[] = [
      { module: 'params', key: Buffer.from('evm/chain_id'), value: Buffer.from('31337') },
      { module: 'params', key: Buffer.from('evm/chain_ie'), value: undefined },
      { module: 'params', key: Buffer.of(0), value: undefined },
      { module: 'params', key: Buffer.of(255), value: undefined },
      {
        module: 'staking',
        key: Buffer.from(fieldKey(1, VALIDATOR_FIELD.consensusKey)),
        value: Buffer.from(validator?.pubkey?.data ?? []),
      },
      {
        module: 'staking',
        key: Buffer.from(fieldKey(2, VALIDATOR_FIELD.consensusKey)),
        value: undefined,
      },
    ]
    const newest = (await client.status()).syncInfo.latestBlockHeight
    for (const height of [1, newest]) {
      await heightAtLeast(height + 1)
      const { appHash } = (await client.commit(height + 1)).header
      for (const claim of claims) {
        const { module, key } = claim
        const path = `/store/${module}/key`
        const answer = await client.abciQuery({ path, data: key, height, prove: true })
        expect(answer).toMatchObject({ code: 0, height })
        expect(Buffer.from(answer.value)).toEqual(Buffer.from(claim.value ?? []))
        verifyQuery(answer.proof?.ops ?? [], appHash, claim)
      }
    }
  })

  test('gets a response for the latest height at any moment during a block', async () => {
    const request = { path: '/store/params/key', data: Buffer.from('evm/chain_id'), prove: true }
    const first = await client.abciQuery(request)
    for (let newest = first.height ?? 0; newest < (first.height ?? 0) + 5; ) {
      const { code, height = 0 } = await client.abciQuery(request)
      expect(code).toBe(0)
      expect(height).toBeGreaterThanOrEqual(newest)
      newest = height
    }
  })

  test('gets the reason why there is no proof of EVM state, of unknown stores and of missing heights', async () => {
    const query = async (path: string, height = 0) => {
      const request = { path, data: Uint8Array.of(1), height, prove: true }
      const { code, codespace, log, proof } = await client.abciQuery(request)
      return { code, codespace, log, proof }
    }
    const refused = { codespace: 'sdk', proof: undefined }
    expect(await query('/store/evm_lattice/key')).toEqual({
      ...refused,
      code: 37,
      log:
        'store evm_lattice is one hash over all EVM state: it proves no single key; ' +
        'read EVM state over the EVM JSON-RPC',
    })
    expect(await query('/store/gov/key', 1)).toEqual({
      ...refused,
      code: 6,
      log: 'no such store: gov; height 1 has bank, params, staking',
    })
    expect(await query('/store/params/key', 1_000_000)).toEqual({
      ...refused,
      code: 26,
      log: expect.stringMatching(/^height 1000000 is in the future, the newest is \d+$/),
    })
  })

  test('finds routes that it does not use itself: health, net_info, lag_status', async () => {
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`${daemon.ready.consensus}${path}`)).json()
    expect(await get('/health')).toEqual({ jsonrpc: '2.0', id: -1, result: {} })
    expect(await get('/net_info')).toMatchObject({
      jsonrpc: '2.0',
      id: -1,
      result: { listening: expect.any(Boolean), n_peers: '0', peers: [] },
    })
    expect(await get('/lag_status')).toMatchObject({
      result: { current_height: expect.any(Number), max_peer_height: 0, lag: null },
    })
  })

  test('gets the same proofs at every height after the node was killed and restarted', async () => {
    const height = await heightAtLeast(20)
    const answers = () =>
      Promise.all(
        Array.from({ length: height }, (_, i) =>
          client.abciQuery({
            path: '/store/params/key',
            data: Buffer.from('evm/revision'),
            height: i + 1,
            prove: true,
          }),
        ),
      )
    const before = await answers()
    client.disconnect()
    await daemon.stop('SIGKILL')
    daemon = await startDaemon({ home })
    client = await Comet38Client.connect(daemon.ready.consensus)
    expect(await answers()).toEqual(before)
    expect(before.map((answer) => answer.code)).toEqual(before.map(() => 0))
  })

  async function heightAtLeast(height: number): Promise<number> {
    for (;;) {
      const latest = (await client.status()).syncInfo.latestBlockHeight
      if (latest >= height) return height
    }
  }
})
