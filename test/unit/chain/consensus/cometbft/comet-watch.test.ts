import { afterEach, beforeEach, expect, test } from 'vitest'
import { CometWatch } from '../../../../../host/chain/consensus/cometbft/comet-watch.ts'
import { until } from '../../../../support/until.ts'

let catchingUp: boolean | Error
let peers: readonly object[] | Error
let height: number
let watch: CometWatch
let reports: string[]
const report = {
  connected: (peers: number) => reports.push(`connected ${peers}`),
  alone: () => reports.push('alone'),
}
/** Requests so far. Of two more, at least one was sent after this moment. */
const asked = { status: 0, dump_consensus_state: 0 }

async function twoMore(): Promise<void> {
  const { status, dump_consensus_state: dumps } = asked
  await until(() => asked.status >= status + 2 && asked.dump_consensus_state >= dumps + 2)
}

const rpc = {
  call: async (method: string): Promise<unknown> => {
    asked[method as keyof typeof asked]++
    const answer = method === 'status' ? catchingUp : peers
    if (answer instanceof Error) throw answer
    return method === 'status'
      ? { sync_info: { catching_up: answer, earliest_block_height: '7' } }
      : { peers: answer }
  },
}

function peerAt(at: number): object {
  return { node_address: 'x', peer_state: { round_state: { height: String(at) } } }
}

beforeEach(() => {
  catchingUp = false
  peers = []
  height = 3
  reports = []
  watch = new CometWatch(rpc, () => height, report, { statusMs: 1, peersMs: 1 })
})

afterEach(async () => {
  await watch.stop()
})

test('the sync state waits for the first answer of CometBFT', async () => {
  catchingUp = new Error('gone')
  watch.start()
  await twoMore()
  expect(watch.sync).toEqual({
    maxPeerHeight: 0,
    isCatchingUp: true,
    startingHeight: 3,
    isAlone: true,
    waitingFor: 'the first answer of CometBFT',
  })
  catchingUp = true
  height = 20
  await twoMore()
  expect(watch.sync).toMatchObject({ maxPeerHeight: 0, isCatchingUp: true, startingHeight: 3 })
})

test('the maximum peer height is one below the height that the furthest peer works on', async () => {
  peers = [peerAt(12), peerAt(41), { node_address: 'y', peer_state: null }]
  watch.start()
  await twoMore()
  expect([watch.sync.maxPeerHeight, watch.peers]).toEqual([40, 3])
  expect(watch.sync.isCatchingUp).toBe(false)
  peers = [{ node_address: 'y', peer_state: null }]
  await twoMore()
  expect([watch.sync.maxPeerHeight, watch.peers]).toEqual([0, 1])
})

test('the starting height is the height at which the node fell behind again', async () => {
  watch.start()
  await twoMore()
  height = 50
  catchingUp = true
  await twoMore()
  height = 60
  await twoMore()
  expect(watch.sync).toMatchObject({ maxPeerHeight: 0, isCatchingUp: true, startingHeight: 50 })
})

test('the sync state keeps the last answer and reports that CometBFT does not answer', async () => {
  peers = [peerAt(9)]
  watch.start()
  await twoMore()
  catchingUp = new Error('gone')
  peers = new Error('gone')
  await twoMore()
  expect(watch.sync).toEqual({
    maxPeerHeight: 8,
    isCatchingUp: false,
    startingHeight: 3,
    isAlone: true,
    waitingFor: 'CometBFT, which does not answer',
  })
  expect(watch.peers).toBe(0)
  catchingUp = false
  await twoMore()
  expect(watch.sync.waitingFor).toBeUndefined()
})

test('the first connected peers are reported once, and so is a lasting lack of peers', async () => {
  watch.start()
  await until(() => reports.length > 0)
  await twoMore()
  expect(reports).toEqual(['alone'])
  peers = [peerAt(9), peerAt(8)]
  await twoMore()
  await twoMore()
  expect(reports).toEqual(['alone', 'connected 2'])
  peers = []
  await until(() => reports.length > 2)
  expect(reports).toEqual(['alone', 'connected 2', 'alone'])
})
