import { describe, expect, test } from 'vitest'
import {
  type PlanOptions,
  planNetwork,
  settingsOf,
} from '../../../../host/node/network/network-plan.ts'

const PLAN: PlanOptions = {
  powers: [10, 10],
  full: 1,
  hosts: [],
  basePort: 26_656,
  evmPort: 8_545,
  settings: [],
}

describe('the plan of a network', () => {
  test('on one machine gives the first node the usual ports, and each next one ports ten higher', () => {
    expect(planNetwork(PLAN)).toEqual([
      {
        name: 'validator-1',
        mode: 'validator',
        power: 10,
        host: '127.0.0.1',
        ports: { p2p: 26656, consensus: 26657, metrics: 26660, evm: 8545, evmSocket: 8546 },
        settings: {},
      },
      {
        name: 'validator-2',
        mode: 'validator',
        power: 10,
        host: '127.0.0.1',
        ports: { p2p: 26666, consensus: 26667, metrics: 26670, evm: 8555, evmSocket: 8556 },
        settings: {},
      },
      {
        name: 'full-1',
        mode: 'full',
        power: 0,
        host: '127.0.0.1',
        ports: { p2p: 26676, consensus: 26677, metrics: 26680, evm: 8565, evmSocket: 8566 },
        settings: {},
      },
    ])
  })

  test('on several machines gives all nodes the same ports, which only peers can reach', () => {
    const nodes = planNetwork({ ...PLAN, hosts: ['10.0.0.1', '10.0.0.2', 'full.example'] })
    expect(nodes.map(({ host, ports }) => [host, ports.p2p, ports.evm])).toEqual([
      ['10.0.0.1', 26656, 8545],
      ['10.0.0.2', 26656, 8545],
      ['full.example', 26656, 8545],
    ])
    const [first] = nodes
    if (first === undefined) throw new Error('no node')
    const settings = settingsOf(first, ['id@10.0.0.2:26656'])
    expect(settings).toMatchObject({
      'consensus.engine': 'cometbft',
      'p2p.laddr': 'tcp://0.0.0.0:26656',
      'p2p.external-address': '10.0.0.1:26656',
      'p2p.persistent-peers': ['id@10.0.0.2:26656'],
      'p2p.unconditional-peer-ids': ['id'],
      'rpc.laddr': 'tcp://127.0.0.1:26657',
    })
    expect(settings).not.toHaveProperty('p2p.allow-duplicate-ip')
    expect(settings).not.toHaveProperty('evm.serving-threads')
  })

  test('on one machine serves RPC on the main threads unless RPC workers are configured', () => {
    const settings = [{ target: 'full', flag: 'evm.serving-threads', value: 3 }]
    const threads = planNetwork({ ...PLAN, settings }).map(
      (node) => settingsOf(node, [])['evm.serving-threads'],
    )
    expect(threads).toEqual([0, 0, 3])
  })

  test('merges settings of all nodes, of a kind and of one node, the later over the earlier', () => {
    const nodes = planNetwork({
      ...PLAN,
      settings: [
        { target: undefined, flag: 'mempool.size', value: 1 },
        { target: 'validator', flag: 'mempool.size', value: 2 },
        { target: 'validator-2', flag: 'mempool.size', value: 3 },
      ],
    })
    expect(nodes.map(({ settings }) => settings)).toEqual([
      { 'mempool.size': 2 },
      { 'mempool.size': 3 },
      { 'mempool.size': 1 },
    ])
  })

  test.each([
    [
      { evmPort: 26_657 },
      '--base-port 26656 and --evm-port 26657 give port 26657 to validator-1 and validator-1',
    ],
    [{ evmPort: 26_665 }, 'give port 26666 to validator-1 and validator-2'],
    [{ basePort: 65_525 }, 'ports of validator-2 go up to 65536, above 65535'],
    [{ hosts: ['a', 'b'] }, '--hosts names 2 machines for 3 nodes'],
    [
      { settings: [{ target: 'full-2', flag: 'mempool.size', value: 1 }] },
      '--set: "full-2" is not a node of this network',
    ],
  ] satisfies readonly [Partial<PlanOptions>, string][])('refuses %j', (options, message) => {
    expect(() => planNetwork({ ...PLAN, ...options })).toThrow(message)
  })
})
