import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { COMET_DIFFERENCES } from '../../tools/reference/comet-differences.ts'
import { COMETBFT, type CometBft, startCometBft } from '../support/node/cometbft.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { until } from '../support/until.ts'

type Difference = keyof typeof COMET_DIFFERENCES

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A request over GET and POST, and the differences accepted in its responses. */
interface Question {
  readonly route: string
  readonly params?: Readonly<Record<string, Json>>
  readonly accepts?: readonly Difference[]
}

const IN_EVENTS: readonly Difference[] = ['emptyLists', 'writtenDefaults', 'precommitsAlone']

/** `{tx}` stands for a new transaction of the queried node, `{hash}` for one that it has. */
const QUESTIONS: readonly Question[] = [
  { route: 'health' },
  { route: 'status', accepts: ['seidFields', 'noPeers'] },
  { route: 'net_info', accepts: ['seidFields', 'noPeers', 'emptyLists'] },
  { route: 'genesis' },
  { route: 'genesis_chunked' },
  { route: 'genesis_chunked', params: { chunk: '0' } },
  { route: 'genesis_chunked', params: { chunk: '7' } },
  { route: 'blockchain' },
  { route: 'blockchain', params: { minHeight: '1', maxHeight: '2' } },
  { route: 'blockchain', params: { minHeight: '2', maxHeight: '1' }, accepts: ['heightCode'] },
  { route: 'blockchain', params: { minHeight: '-1' }, accepts: ['heightCode'] },
  { route: 'header' },
  { route: 'header', params: { height: '2' } },
  { route: 'header_by_hash', params: { hash: 'AB'.repeat(32) } },
  { route: 'block' },
  { route: 'block', params: { height: '1' } },
  { route: 'block', params: { height: '2' } },
  { route: 'block', params: { height: '0' }, accepts: ['heightCode'] },
  { route: 'block', params: { height: '99999999' }, accepts: ['heightCode'] },
  { route: 'block', params: { height: 'x' } },
  { route: 'block_results', params: { height: '2' }, accepts: ['emptyLists'] },
  { route: 'block_results', params: { height: '{height}' }, accepts: ['emptyLists'] },
  { route: 'commit' },
  { route: 'commit', params: { height: '2' } },
  { route: 'validators' },
  { route: 'validators', params: { height: '2', page: '1', per_page: '5' } },
  { route: 'validators', params: { page: '9' }, accepts: ['heightCode'] },
  { route: 'consensus_params' },
  { route: 'consensus_state' },
  { route: 'dump_consensus_state', accepts: ['emptyLists'] },
  { route: 'unconfirmed_txs' },
  { route: 'unconfirmed_txs', params: { limit: '5' } },
  { route: 'num_unconfirmed_txs' },
  { route: 'abci_info' },
  { route: 'check_tx', params: { tx: '{tx}' }, accepts: ['emptyLists'] },
  { route: 'broadcast_tx_sync', params: { tx: '{tx}' }, accepts: ['committedAgain'] },
  { route: 'broadcast_tx_sync', accepts: ['emptyTransaction'] },
  { route: 'broadcast_tx_async', params: { tx: '{next}' }, accepts: ['asyncUnchecked'] },
  { route: 'tx', params: { hash: '{hash}' } },
  { route: 'tx', params: { hash: '{hash}', prove: true }, accepts: ['emptyLists'] },
  { route: 'tx', params: { hash: 'CD'.repeat(32) } },
  { route: 'tx', accepts: ['hashArgument'] },
  { route: 'tx_search', params: { query: 'tx.height={height}', prove: true } },
  { route: 'tx_search', params: { query: 'tx.height={height}', order_by: 'desc', page: '1' } },
  { route: 'tx_search', params: { query: 'tx.height=1' } },
  { route: 'tx_search', params: { query: 'tx.height=1', page: '9' }, accepts: ['heightCode'] },
  { route: 'tx_search', params: { query: 'tx.height>0', order_by: 'up' } },
  { route: 'tx_search', params: { query: 'tx.height' } },
  { route: 'tx_search' },
  { route: 'block_search', params: { query: 'block.height=2' } },
  { route: 'block_search', params: { query: 'block.height<3', order_by: 'asc', per_page: '1' } },
  { route: 'block_search', params: { query: 'AND' } },
  { route: 'broadcast_evidence' },
  { route: 'subscribe', params: { query: 'a EXISTS' } },
]

const ADDRESS = /^[\dA-F]{40}$/

/**
 * Returns the shape of a value: names and types, and of a list its first item. All non-empty strings have one shape.
 */
function shapeOf(value: Json): Json {
  if (value === null) return null
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0] as Json)]
  if (typeof value !== 'object') return typeof value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([name, each]) => [
      // The chains have different validators.
      ADDRESS.test(name) ? 'address' : name,
      shapeOf(each),
    ]),
  )
}

const SEID = [
  ...['application_info', 'light_client_info', 'peer_connections', 'last_committed_block_height'],
  ...['max_peer_block_height', 'total_synced_time', 'remaining_time', 'total_snapshots'],
  ...['chunk_process_avg_time', 'snapshot_height', 'snapshot_chunks_count'],
  ...['snapshot_chunks_total', 'backfilled_blocks', 'backfill_blocks_total'],
]

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Returns true for a list or a value that stands for an empty one. */
function isListLike(value: Json | undefined): boolean {
  return isEmpty(value) || Array.isArray(value)
}

/** Returns the paths at which two shapes differ, except for accepted differences. */
function differences(
  ours: Json | undefined,
  theirs: Json | undefined,
  accepts: readonly Difference[],
  path = '',
): string[] {
  const has = (difference: Difference) => accepts.includes(difference)
  const isNone = isEmpty(ours) || isEmpty(theirs)
  if (has('emptyLists') && isNone && isListLike(ours) && isListLike(theirs)) return []
  if (ours === undefined || theirs === undefined) {
    const name = path.slice(path.lastIndexOf('.') + 1)
    // CometBFT's key-value store has no app state in its genesis.
    if (name === 'app_state') return []
    if (theirs === undefined && has('seidFields') && SEID.includes(name)) return []
    if (theirs === undefined && /\.(?:version\.app|app_version)$/.test(path)) return []
    if (theirs === undefined && has('writtenDefaults') && path.includes('esult')) return []
    return [`${path}: ${ours === undefined ? 'missing' : 'not of CometBFT'}`]
  }
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length === 0 || theirs.length === 0) {
      // One of the lists is empty, so there is nothing to compare.
      return []
    }
    return differences(ours[0], theirs[0], accepts, `${path}[]`)
  }
  const isObject = (value: Json) => typeof value === 'object' && value !== null
  if (isObject(ours) && isObject(theirs) && !Array.isArray(ours) && !Array.isArray(theirs)) {
    const [a, b] = [ours as Record<string, Json>, theirs as Record<string, Json>]
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) =>
      differences(a[name], b[name], accepts, `${path}.${name}`),
    )
  }
  if (ours === theirs) return []
  // Members for a later step of the round are null.
  if (path.startsWith('.round_state.') && (ours === null || theirs === null)) return []
  // Data of a result is null if it has no bytes.
  const isNullable = path.endsWith('.data') && (ours === null || theirs === null)
  if (isNullable && (ours === 'string' || theirs === 'string')) return []
  return [`${path}: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`]
}

interface Answered {
  readonly status: number
  readonly body: Json
}

/** The node that the embedded engine is compared with. */
interface Other {
  readonly name: string
  start(home: string): Promise<Pick<CometBft, 'url' | 'stop'>>
  /** Valid transactions in order. The first four are sent. */
  transactions(): Promise<readonly string[]>
}

function keyValue(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Returns a signed transfer of the first dev account on the chain of --dev. */
async function transfer(nonce: number): Promise<string> {
  const signed = await signDynamicFee(0, { nonce, to: devAccount(1).address, value: 1n })
  return Buffer.from(signed.slice(2), 'hex').toString('base64')
}

function transfers(): Promise<readonly string[]> {
  return Promise.all([0, 1, 2, 3].map(transfer))
}

const OTHERS: readonly Other[] = [
  {
    name: 'CometBFT 0.38.19',
    start: (home) => startCometBft(COMETBFT as string, home),
    transactions: async () => ['a=1', 'b=2', 'c=3', 'd=4'].map(keyValue),
  },
  {
    name: 'a node whose blocks CometBFT decides',
    start: async (home) => {
      const engine = ['--consensus.engine', 'cometbft', '--consensus.cometbft', COMETBFT as string]
      const node = await startDaemon({
        home,
        arguments: [...engine, '--p2p.laddr', 'tcp://127.0.0.1:0'],
      })
      return { url: node.ready.consensus, stop: node.stop }
    },
    transactions: transfers,
  },
]

describe.skipIf(COMETBFT === undefined).each(OTHERS)(
  '$name and the embedded engine (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  (other) => {
    const [home, theirHome] = [makeHome(), makeHome()]
    let daemon: Daemon
    let comet: Pick<CometBft, 'url' | 'stop'>
    let evm: readonly string[]
    let plain: readonly string[]
    /** The values of the placeholders in braces, for each node. */
    let words: Record<'ours' | 'theirs', Record<string, string>>

    beforeAll(async () => {
      comet = await other.start(theirHome)
      daemon = await startDaemon({ home, arguments: ['--consensus.block-time', '200ms'] })
      const sent = async (url: string, tx: string): Promise<{ hash: string; height: string }> => {
        const body = await post(url, 'broadcast_tx_commit', { tx })
        return (body.body as { result: { hash: string; height: string } }).result
      }
      evm = await transfers()
      plain = await other.transactions()
      const [ours, theirs] = await Promise.all([
        sent(daemon.ready.consensus, evm[0] as string),
        sent(comet.url, plain[0] as string),
      ])
      words = {
        ours: { ...ours, tx: evm[1] as string, next: evm[2] as string },
        theirs: { ...theirs, tx: plain[1] as string, next: plain[2] as string },
      }
      const isPast = async (url: string, height: string) => {
        const { body } = await post(url, 'block', { height: String(Number(height) + 1) })
        return (body as { result?: Json }).result !== undefined
      }
      await until(() => isPast(daemon.ready.consensus, ours.height))
      await until(() => isPast(comet.url, theirs.height))
    })

    afterAll(async () => {
      await daemon?.stop()
      await comet?.stop()
      removeHome(home)
      removeHome(theirHome)
    })

    async function post(url: string, method: string, params: object): Promise<Answered> {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', body })
      return { status: response.status, body: (await response.json()) as Json }
    }

    /** Formats a parameter for a query string: strings in quotes, bytes as 0x hex, numbers as they are. */
    function inUri(name: string, value: Json): string {
      if (name === 'tx') return `0x${Buffer.from(String(value), 'base64').toString('hex')}`
      if (name === 'hash') return `0x${value}`
      if (name === 'query' || name === 'order_by') return `"${value}"`
      return String(value)
    }

    async function get(url: string, route: string, params: Record<string, Json>) {
      const query = new URLSearchParams(
        Object.entries(params).map(([name, value]) => [name, inUri(name, value)]),
      )
      const response = await fetch(`${url}/${route}?${query}`)
      return { status: response.status, body: (await response.json()) as Json }
    }

    function filled(params: Question['params'] = {}, side: 'ours' | 'theirs') {
      return Object.fromEntries(
        Object.entries(params).map(([name, value]) => {
          if (typeof value !== 'string') return [name, value]
          return [name, value.replace(/\{(\w+)\}/g, (_, word: string) => words[side][word] ?? '')]
        }),
      )
    }

    /** Formats parameters for JSON, in which a hash is base64 like all bytes. */
    function inJson(route: string, params: Record<string, Json>): Record<string, Json> {
      if (route !== 'tx' || typeof params.hash !== 'string') return params
      return { ...params, hash: Buffer.from(params.hash, 'hex').toString('base64') }
    }

    function compare(ours: Answered, theirs: Answered, accepts: readonly Difference[]): string[] {
      const [a, b] = [ours.body, theirs.body] as { error?: { code: number }; result?: Json }[]
      if (a?.error !== undefined || b?.error !== undefined) {
        const codes = [a?.error?.code, b?.error?.code]
        if (codes[0] === codes[1]) return []
        if (accepts.includes('heightCode') && codes.join() === '-32600,-32603') return []
        if (accepts.includes('hashArgument') && codes.join() === '-32602,-32603') return []
        if (accepts.includes('emptyTransaction') && codes[0] === -32602) return []
        if (accepts.includes('committedAgain') && b?.error?.code === -32603) return []
        if (accepts.includes('asyncUnchecked') && a?.error === undefined) return []
        return [`error ${JSON.stringify(a)} and ${JSON.stringify(b)}`]
      }
      return differences(shapeOf(a?.result ?? null), shapeOf(b?.result ?? null), accepts)
    }

    test.each(QUESTIONS.map((question) => [JSON.stringify(question), question] as const))(
      'give responses of the same shape to %s',
      async (_, { route, params, accepts = [] }) => {
        const mine = filled(params, 'ours')
        const others = filled(params, 'theirs')
        const url = daemon.ready.consensus
        const posted = compare(
          await post(url, route, inJson(route, mine)),
          await post(comet.url, route, inJson(route, others)),
          accepts,
        )
        const gotten = compare(
          await get(url, route, mine),
          await get(comet.url, route, others),
          accepts,
        )
        expect({ posted, gotten }).toEqual({ posted: [], gotten: [] })
      },
    )

    test('use the first of several parameters with the same name', async () => {
      const height = async (url: string) => {
        const response = await fetch(`${url}/block?height=1&height=2&height=3`)
        const { result } = (await response.json()) as {
          result: { block: { header: { height: string } } }
        }
        return result.block.header.height
      }
      expect(await height(daemon.ready.consensus)).toBe('1')
      expect(await height(comet.url)).toBe('1')
    })

    /** Returns the first event of a subscription. */
    async function subscribed(url: string, query: string): Promise<Json> {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`)
      const messages: Json[] = []
      socket.on('open', () =>
        socket.send(
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query } }),
        ),
      )
      socket.on('message', (data) => messages.push(JSON.parse(String(data)) as Json))
      await until(() => messages.length >= 2)
      socket.close()
      expect(messages[0]).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
      return messages[1] as Json
    }

    /**
     * Returns the events of a whole round of one validator, each with its type and step. Of votes, only the
     * precommit.
     */
    async function roundOf(url: string): Promise<readonly Json[]> {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`)
      interface Event {
        readonly type: string
        readonly value: { readonly step?: string; readonly Vote?: { readonly type: number } }
      }
      const events: (readonly [name: string, Event])[] = []
      const params = { query: 'tm.event EXISTS' }
      socket.on('open', () =>
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params })),
      )
      socket.on('message', (text) => {
        const { result } = JSON.parse(String(text))
        if (result.data !== undefined) events.push([result.events['tm.event'][0], result.data])
      })
      const starts = () => events.flatMap(([name], at) => (name === 'NewRound' ? [at] : []))
      await until(() => starts().length >= 2)
      socket.close()
      const [from, end] = starts()
      return events.slice(from, end).flatMap(([name, { type, value }]) => {
        const isPrevote = value.Vote?.type === 1
        return name === 'Tx' || isPrevote ? [] : [[name, type, value.step ?? null]]
      })
    }

    test.each([
      ...['NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'NewRound', 'Vote', 'NewRoundStep'],
      ...['CompleteProposal', 'Polka', 'Lock', 'ValidBlock'],
    ])('send the event %s in the same shape', async (name) => {
      const query = `tm.event='${name}'`
      const [ours, theirs] = await Promise.all([
        subscribed(daemon.ready.consensus, query),
        subscribed(comet.url, query),
      ])
      expect(differences(shapeOf(ours), shapeOf(theirs), IN_EVENTS)).toEqual([])
    })

    test('send the steps of a round in the same order', async () => {
      const [ours, theirs] = await Promise.all(
        [daemon.ready.consensus, comet.url].map((url) => roundOf(url)),
      )
      expect(ours).toEqual(theirs)
    })

    test('send the event Tx in the same shape', async () => {
      const query = "tm.event='Tx'"
      const waiting = [
        subscribed(daemon.ready.consensus, query),
        subscribed(comet.url, query),
      ] as const
      await post(comet.url, 'broadcast_tx_commit', { tx: plain[3] })
      await post(daemon.ready.consensus, 'broadcast_tx_commit', { tx: evm[3] })
      const [ours, theirs] = (await Promise.all(waiting)).map(
        (message) => (message as { result: { data: Json } }).result.data,
      )
      expect(differences(shapeOf(ours as Json), shapeOf(theirs as Json), IN_EVENTS)).toEqual([])
    })
  },
)
