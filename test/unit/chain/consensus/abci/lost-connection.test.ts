import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AbciApplication } from '../../../../../host/chain/consensus/abci/abci-application.ts'
import { type AbciServer, serveAbci } from '../../../../../host/chain/consensus/abci/abci-server.ts'
import { AbciPeer, type Answer, commit, info } from '../../../../support/abci/abci-peer.ts'
import { makeGate } from '../../../../support/gate.ts'
import { until } from '../../../../support/until.ts'

let folder: string
let server: AbciServer
const peers: AbciPeer[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'abci-'))
})
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.socket.destroy()
  await server.close()
  rmSync(folder, { recursive: true })
})

async function connect(): Promise<AbciPeer> {
  const peer = await AbciPeer.connect(join(folder, 'app.sock'))
  peers.push(peer)
  return peer
}

/** An application whose commit of block 7 waits for the test. The CometBFT that requested it has been killed. */
async function orphanCommit() {
  const disk = makeGate()
  let height = 6
  let isCommitting = false
  const application = {
    async info() {
      return {
        data: '',
        version: '',
        appVersion: 0,
        lastBlockHeight: height,
        lastBlockAppHash: new Uint8Array(32),
      }
    },
    async commit() {
      isCommitting = true
      await disk.opened
      height = 7
      return { retainHeight: 0 }
    },
  }
  server = await serveAbci({
    path: join(folder, 'app.sock'),
    application: application as unknown as AbciApplication,
    onFailure: (error) => {
      throw error
    },
  })
  const killed = await connect()
  killed.send(commit())
  await until(() => isCommitting)
  killed.socket.destroy()
  await until(() => server.connections === 0)
  return { disk, heightNow: () => height }
}

test('a restarted CometBFT receives the height of the commit that the killed one requested', async () => {
  const { disk } = await orphanCommit()
  const next = await connect()
  next.send(info())
  let answer: Answer | undefined
  const answered = next.receive(1).then(([first]) => {
    answer = first
  })
  for (let turns = 0; turns < 20; turns++) await turn()
  // With height 6 it would execute block 7 again, which the application has committed meanwhile.
  expect(answer).toBeUndefined()
  disk.open()
  await answered
  // last_block_height: field 4, a varint.
  expect(Buffer.from((answer as Answer).message).includes(Buffer.from([0x20, 7]))).toBe(true)
})

test('the server waits for the calls of lost connections before it closes, since the stores close next', async () => {
  const { disk, heightNow } = await orphanCommit()
  let isClosed = false
  const closed = server.close().then(() => {
    isClosed = true
  })
  for (let turns = 0; turns < 20; turns++) await turn()
  expect(isClosed).toBe(false)
  disk.open()
  await closed
  expect(heightNow()).toBe(7)
})
