import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { transaction } from '../../../support/chain/fake-chain.ts'
import { RpcFixture } from './rpc-fixture.ts'

const rpc = new RpcFixture()

describe('net, web3, rpc and txpool', () => {
  test('return in net_peerCount the connections of the consensus engine', async () => {
    rpc.replaceNode({}, { peers: () => 17 })
    expect(await rpc.node.call('net_peerCount', [])).toBe('0x11')
    rpc.replaceNode({}, { peers: () => 0 })
  })

  test('return the constants of the node', async () => {
    expect(await rpc.node.call('eth_accounts', [])).toEqual([])
    expect(await rpc.node.call('eth_syncing', [])).toBe(false)
    expect(await rpc.node.call('net_version', [])).toBe('1329')
    expect(await rpc.node.call('net_listening', [])).toBe(true)
    expect(await rpc.node.call('net_peerCount', [])).toBe('0x0')
    expect(await rpc.node.call('web3_clientVersion', [])).toBe('lockstep/0.0.0/test')
    expect(await rpc.node.call('web3_sha3', ['0x68656c6c6f20776f726c64'])).toBe(
      '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
    )
    expect(await rpc.node.call('rpc_modules', [])).toEqual({
      debug: '1.0',
      erigon: '1.0',
      eth: '1.0',
      net: '1.0',
      ots: '1.0',
      rpc: '1.0',
      trace: '1.0',
      txpool: '1.0',
      web3: '1.0',
    })
  })

  test('list the pool by sender and nonce', async () => {
    const one = transaction({ nonce: 4n, value: 3n })
    rpc.node.pool.announce(one)
    rpc.node.pool.gapped.push(transaction({ nonce: 9n, to: undefined }))
    expect(await rpc.node.call('txpool_status', [])).toEqual({ pending: '0x1', queued: '0x1' })
    const sender = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
    expect(await rpc.node.call('txpool_content', [])).toMatchObject({
      pending: { [sender]: { 4: { hash: formatData(one.hash), blockHash: null } } },
      queued: { [sender]: { 9: { to: null } } },
    })
    expect(await rpc.node.call('txpool_inspect', [])).toEqual({
      pending: {
        [sender]: {
          4: `0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB: 3 wei + 21000 gas × 100000000000 wei`,
        },
      },
      queued: { [sender]: { 9: 'contract creation: 0 wei + 21000 gas × 100000000000 wei' } },
    })
  })
})
