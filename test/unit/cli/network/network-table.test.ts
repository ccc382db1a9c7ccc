import { describe, expect, test } from 'vitest'
import type { ReadyFacts } from '../../../../host/cli/client/ready-file.ts'
import {
  renderNetworkLine,
  renderNetworkRecord,
  renderTable,
} from '../../../../host/cli/network/network-table.ts'
import { NetworkHistory, type NodeState } from '../../../../host/cli/network/network-view.ts'
import type { Sample } from '../../../../host/cli/status/sample.ts'
import { homeAt } from '../../../../host/node/home/home.ts'

const AT = 1_700_000_000_000

function nodeAt(name: string, sample: Partial<Sample> | undefined, trouble?: string): NodeState {
  const mode = name.startsWith('full') ? 'full' : 'validator'
  const node = { name, mode, home: homeAt(`/net/${name}`) } as const
  if (sample === undefined) return { node, facts: undefined, sample, trouble }
  const whole = { at: AT, height: 10, blockTime: AT - 300, appHash: 'AA', peers: 3, mempool: 0 }
  return {
    node,
    facts: { rpc: 'http://127.0.0.1:8545' } as ReadyFacts,
    sample: { isCatchingUp: false, ...whole, ...sample } as Sample,
    trouble,
  }
}

const NODES = [
  nodeAt('validator-1', { height: 120 }),
  nodeAt('validator-2', undefined, 'ended with SIGKILL'),
  nodeAt('full-1', { height: 7, blockTime: AT - 45_200, peers: 12, isCatchingUp: true }),
]

describe('the state of a network', () => {
  test('is printed as a table of heights, lag and peers, with nodes that are down and how to restart them', () => {
    expect(renderTable(new NetworkHistory().add(NODES))).toEqual([
      'Height 120',
      '',
      'NODE         HEIGHT  LAG  PEERS     AGE  MEMPOOL  EVM JSON-RPC           STATE',
      'validator-1     120    0      3   0.3 s        0  http://127.0.0.1:8545  in step',
      'validator-2       -    -      -       -        -  -                      ended with SIGKILL',
      'full-1            7  113     12  45.2 s        0  http://127.0.0.1:8545  catching up',
      '',
      "validator-2 is down; `lockstep start --home '/net/validator-2'` restarts it",
      'q or Ctrl-C stops all nodes',
    ])
  })

  test('is printed as one log line', () => {
    expect(renderNetworkLine(new NetworkHistory().add(NODES), new Date(AT))).toBe(
      'time=2023-11-14T22:13:20.000Z height=120 validator-1=120/3 validator-2=down full-1=7/12',
    )
  })

  test('is printed as a JSON object without unknown values', () => {
    const record = renderNetworkRecord(new NetworkHistory().add(NODES), new Date(AT))
    expect(JSON.parse(JSON.stringify(record))).toMatchObject({
      time: '2023-11-14T22:13:20.000Z',
      height: 120,
      nodes: [
        { name: 'validator-1', mode: 'validator', height: 120, lag: 0, peers: 3, app_hash: 'AA' },
        { name: 'validator-2', mode: 'validator', state: 'ended with SIGKILL' },
        { name: 'full-1', mode: 'full', height: 7, lag: 113, block_age_seconds: 45.2 },
      ],
    })
  })

  test('includes the block rate, computed from the block times', () => {
    const history = new NetworkHistory()
    history.add([nodeAt('validator-1', { height: 100, blockTime: AT - 4_100 })])
    const state = history.add([nodeAt('validator-1', { height: 110, blockTime: AT })])
    expect(renderTable(state)[0]).toBe('Height 110, a block every 0.41 s')
  })

  test('names a node whose app hash differs from that of the majority at its height', () => {
    const states = [
      nodeAt('validator-1', { appHash: 'AA' }),
      nodeAt('validator-2', { appHash: 'BB' }),
      nodeAt('validator-3', { appHash: 'AA' }),
      nodeAt('full-1', { appHash: 'CC', height: 9 }),
    ]
    const state = new NetworkHistory().add(states)
    expect(state.diverged).toEqual(['validator-2'])
    expect(renderTable(state)[4]).toMatch(/DIVERGED: app hash differs from the others$/)
    expect(renderNetworkLine(state, new Date(AT))).toContain('validator-2=10/3/DIVERGED')
  })

  test('has no height before the first block', () => {
    const state = new NetworkHistory().add([nodeAt('validator-1', { height: 0, blockTime: 0 })])
    expect(renderTable(state)[3]).toBe(
      'validator-1       0    0      3    -        0  http://127.0.0.1:8545  in step',
    )
  })
})
