import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Comet38Client, HttpClient, WebsocketClient } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { COMETBFT, startCometBftLight } from '../support/node/cometbft.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { type Claim, verifyQuery } from '../support/node/light-client.ts'
import { until } from '../support/until.ts'

const RECIPIENT = '0x00000000000000000000000000000000000000bb'

/** Blocks that a light client verifies one by one. */
const FOLLOWED = 30

interface Commit {
  readonly signed_header: {
    readonly header: { readonly app_hash: string; readonly chain_id: string }
    readonly commit: { readonly block_id: { readonly hash: string } }
  }
}

describe.skipIf(COMETBFT === undefined)(
  'a node whose consensus engine is CometBFT (skipped if LOCKSTEP_COMETBFT names no cometbft),',
  () => {
    const folder = makeHome()
    const program = COMETBFT as string
    let node: Daemon
    let client: Comet38Client

    beforeAll(async () => {
      const home = join(folder, 'node')
      mkdirSync(home)
      node = await startDaemon({
        home,
        arguments: [
          ...['--instrumentation.prometheus', 'true'],
          ...['--instrumentation.prometheus-listen-addr', 'tcp://127.0.0.1:0'],
          ...['--consensus.engine', 'cometbft', '--consensus.cometbft', program],
          ...['--p2p.laddr', 'tcp://127.0.0.1:0', '--consensus.block-time', '100ms'],
        ],
      })
      client = Comet38Client.create(new HttpClient(node.ready.consensus))
    })

    afterAll(async () => {
      client?.disconnect()
      await node?.stop()
      removeHome(folder)
    })

    async function get<T>(base: string, path: string): Promise<T> {
      const response = await fetch(`${base}${path}`)
      const { result, error } = (await response.json()) as { result?: T; error?: object }
      if (result === undefined) throw new Error(`${base}${path}: ${JSON.stringify(error)}`)
      return result
    }

    async function transfer(nonce: number, value: bigint): Promise<Uint8Array> {
      const signed = await signDynamicFee(0, { nonce, to: RECIPIENT, value })
      return Buffer.from(signed.slice(2), 'hex')
    }

    async function reach(height: number): Promise<void> {
      const newest = async () => (await client.status()).syncInfo.latestBlockHeight
      await until(async () => (await newest()) >= height)
    }

    test('lets @cosmjs send a transaction and find it by either hash, by its events and with its proof', async () => {
      const tx = await transfer(0, 5n)
      const { checkTx, txResult, hash, height: at = 0 } = await client.broadcastTxCommit({ tx })
      expect(checkTx).toMatchObject({ code: 0, gasWanted: 21_000n })
      expect(txResult).toMatchObject({ code: 0, gasUsed: 21_000n })
      expect(Buffer.from(hash)).toEqual(createHash('sha256').update(tx).digest())
      const { block } = await client.block(at)
      expect(block.txs.map((each) => Buffer.from(each))).toEqual([Buffer.from(tx)])
      const evm = await call<{ hash: `0x${string}`; transactions: string[] }>(
        node.ready.rpc,
        'eth_getBlockByNumber',
        [`0x${at.toString(16)}`, false],
      )
      const byEvm = Buffer.from((evm.transactions[0] as string).slice(2), 'hex')
      // CometBFT indexes a transaction some time after its block.
      const isIndexed = () =>
        client.tx({ hash }).then(
          () => true,
          () => false,
        )
      await until(isIndexed)
      for (const asked of [hash, byEvm]) {
        const found = await client.tx({ hash: asked, prove: true })
        expect([found.height, Buffer.from(found.tx)]).toEqual([at, Buffer.from(tx)])
        expect(found.proof?.rootHash).toEqual(block.header.dataHash)
      }
      const sender = devAccount(0).address.toLowerCase()
      const query = `transfer.sender='${sender}' AND transfer.amount = 5`
      expect((await client.txSearchAll({ query })).txs.map(({ height }) => height)).toEqual([at])
      const mined = await client.blockSearchAll({ query: `block.height = ${at}` })
      expect(mined.blocks.map(({ block: each }) => each.header.height)).toEqual([at])
      await expect(client.broadcastTxCommit({ tx })).rejects.toThrow()
    })

    test('gives all subscribers the events of CometBFT, also after one unsubscribes', async () => {
      const url = node.ready.consensus.replace('http', 'ws')
      const fail = (error: unknown) => {
        throw error
      }
      const [one, other] = [0, 1].map(() =>
        Comet38Client.create(new WebsocketClient(url, fail)),
      ) as [Comet38Client, Comet38Client]
      const heights: number[][] = [[], []]
      const listeners = [one, other].map((each, i) => {
        const stream = each.subscribeNewBlock()
        const listener = {
          next: ({ header }: { header: { height: number } }) => heights[i]?.push(header.height),
          error: fail,
          complete: () => undefined,
        }
        stream.addListener(listener)
        return () => stream.removeListener(listener)
      })
      await until(() => heights.every((each) => each.length >= 3))
      one.disconnect()
      const before = heights[1]?.length ?? 0
      await until(() => (heights[1]?.length ?? 0) >= before + 3)
      const [, all = []] = heights
      expect(all).toEqual(all.map((_, i) => (all[0] as number) + i))
      const tx = other.subscribeTx(`transfer.recipient='${RECIPIENT}'`)
      const found: bigint[] = []
      const listener = {
        next: ({ result }: { result: { gasUsed: bigint } }) => found.push(result.gasUsed),
        error: fail,
        complete: () => undefined,
      }
      tx.addListener(listener)
      // The response to a later request proves that the subscription is active.
      await other.status()
      await other.broadcastTxCommit({ tx: await transfer(1, 6n) })
      await until(() => found.length === 1)
      expect(found).toEqual([21_000n])
      tx.removeListener(listener)
      listeners[1]?.()
      other.disconnect()
    })

    test('lets cometbft light follow the chain, and proves its state under the app hashes', async () => {
      await reach(FOLLOWED + 2)
      const { consensus } = node.ready
      const trusted = await get<Commit>(consensus, '/commit?height=1')
      const light = await startCometBftLight(program, join(folder, 'light'), {
        chainId: trusted.signed_header.header.chain_id,
        primary: consensus,
        witness: consensus,
        height: 1,
        hash: trusted.signed_header.commit.block_id.hash,
      })
      const path = `/commit?height=${FOLLOWED + 1}`
      const proven = await get<Commit>(light.url, path)
      expect(proven.signed_header.commit).toEqual(
        (await get<Commit>(consensus, path)).signed_header.commit,
      )
      const appHash = Buffer.from(proven.signed_header.header.app_hash, 'hex')
      const claims: Claim[] = [
        { module: 'params', key: Buffer.from('evm/chain_id'), value: Buffer.from('31337') },
        { module: 'params', key: Buffer.from('evm/chain_ie'), value: undefined },
      ]
      for (const claim of claims) {
        const answer = await client.abciQuery({
          path: `/store/${claim.module}/key`,
          data: claim.key,
          height: FOLLOWED,
          prove: true,
        })
        expect(answer).toMatchObject({ code: 0, height: FOLLOWED })
        expect(Buffer.from(answer.value)).toEqual(Buffer.from(claim.value ?? []))
        verifyQuery(answer.proof?.ops ?? [], appHash, claim)
        const otherHash = Buffer.from(appHash.map((byte) => byte ^ 1))
        expect(() => verifyQuery(answer.proof?.ops ?? [], otherHash, claim)).toThrow()
      }
      await light.stop()
    })

    test('shows the CometBFT block in a state access trace', async () => {
      const { height } = (await client.broadcastTxCommit({ tx: await transfer(2, 7n) })) as {
        height: number
      }
      const { transactions } = await call<{ transactions: string[] }>(
        node.ready.rpc,
        'eth_getBlockByNumber',
        [`0x${height.toString(16)}`, false],
      )
      const text = JSON.stringify(
        await call<object>(node.ready.rpc, 'debug_traceStateAccess', [transactions[0]]),
      )
      const { block_id } = await get<{ block_id: { hash: string } }>(
        node.ready.consensus,
        `/block?height=${height}`,
      )
      expect(text).toContain(block_id.hash)
    })

    test('answers every request while CometBFT is killed and restarted', async () => {
      const { consensus } = node.ready
      const socket = new WebSocket(`${consensus.replace('http', 'ws')}/websocket`)
      const messages: { id: number; error?: { data: string }; result?: object }[] = []
      socket.on('message', (data) => messages.push(JSON.parse(String(data))))
      await once(socket, 'open')
      const subscribe = (id: number) =>
        socket.send(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            method: 'subscribe',
            params: { query: "tm.event='NewBlock'" },
          }),
        )
      subscribe(1)
      await until(() => messages.length >= 2)
      const pid = Number([...node.output().matchAll(/CometBFT answers.* pid=(\d+)/g)].at(-1)?.[1])
      process.kill(pid, 'SIGKILL')
      const answers: number[] = []
      await until(async () => {
        const response = await fetch(`${consensus}/status`)
        answers.push(response.status)
        const { error } = (await response.json()) as { error?: { code: number; data: string } }
        if (error === undefined) return answers.includes(503)
        expect(error).toMatchObject({
          code: -32000,
          data: expect.stringMatching(/^CometBFT(?: does not answer|'s response was aborted)/),
        })
        expect((await fetch(`${consensus}/lag_status`)).status).toBe(200)
        return false
      })
      await until(() => messages.some(({ error }) => error !== undefined))
      expect(messages.find(({ error }) => error !== undefined)).toMatchObject({
        id: 1,
        error: { data: 'subscription was canceled (reason: CometBFT exited)' },
      })
      subscribe(2)
      await until(() => messages.filter(({ id }) => id === 2).length >= 2)
      await until(async () => (await fetch(`${consensus}/ready`)).status === 200)
      socket.close()
    })

    test('accepts operator commands while it runs', async () => {
      const home = join(folder, 'node')
      const run = async (...command: string[]): Promise<string> => {
        const { code, stdout, stderr } = await runCommand(command)
        if (code !== 0) throw new Error(`${command.join(' ')}: ${code}: ${stdout}${stderr}`)
        return stdout
      }
      const shown = await run('consensus', 'show-validator', '--home', home)
      const status = JSON.parse(await run('status', '--home', home))
      expect(status).toMatchObject({
        NodeInfo: {
          version: '0.38.19',
          other: { rpc_address: node.ready.consensus.replace('http', 'tcp') },
        },
        SyncInfo: { catching_up: false, max_peer_block_height: '0' },
        ValidatorInfo: { PubKey: { value: JSON.parse(shown).key } },
        LagStatus: { max_peer_height: 0, lag: null },
      })
      const validator = await run(
        'query',
        'staking',
        'validator',
        shown.trim(),
        '--json',
        '--home',
        home,
      )
      expect(JSON.parse(validator)).toMatchObject({ consensus_pubkey: JSON.parse(shown) })
      expect(await run('doctor', '--home', home)).toMatch(/^no fault found/)
      const metrics = await (await fetch(node.ready.metrics as string)).text()
      expect(metrics).toContain('lockstep_comet_peers 0\n')
      expect(metrics).toContain('lockstep_comet_restarts_total 1\n')
    })

    test('passes the doctor after it stopped, including the checks of signatures and CometBFT', async () => {
      const home = join(folder, 'node')
      expect(await node.stop()).toBe(0)
      // The flags of the start are not in the configuration file.
      const engine = { LOCKSTEP_CONSENSUS_ENGINE: 'cometbft', LOCKSTEP_CONSENSUS_COMETBFT: program }
      const doctor = async (variables: Record<string, string>): Promise<[unknown, object[]]> => {
        const { code, stdout } = await runCommand(['doctor', '--home', home, '--json'], variables)
        return [code, JSON.parse(stdout).findings]
      }
      expect(await doctor(engine)).toEqual([0, []])
      const none = { ...engine, LOCKSTEP_CONSENSUS_COMETBFT: '/nowhere/cometbft' }
      expect(await doctor(none)).toEqual([
        1,
        [
          expect.objectContaining({
            subject: 'configuration',
            what: 'there is no CometBFT at /nowhere/cometbft',
          }),
        ],
      ])
      const [state] = ['data/priv_validator_state.json'].map((name) => join(home, name)) as [string]
      const { address } = JSON.parse(
        readFileSync(join(home, 'config/priv_validator_key.json'), 'utf8'),
      )
      for (const file of [state, join(home, `config/priv_validator_signed.${address}.json`)]) {
        const signed = JSON.parse(readFileSync(file, 'utf8'))
        writeFileSync(file, JSON.stringify({ ...signed, height: '2' }))
      }
      expect(await doctor(engine)).toEqual([
        1,
        [
          expect.objectContaining({
            subject: 'signing',
            what: expect.stringMatching(/ends at height 2, but block \d+ is decided/),
          }),
        ],
      ])
    })
  },
)
