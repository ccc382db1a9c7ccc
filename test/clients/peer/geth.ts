import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, post } from '../../support/node/json-rpc.ts'
import { startProgram } from '../../support/program.ts'

/** The release whose answers ours are compared with; another one differs in words. */
export const GETH_VERSION = '1.17.10'

/** Where geth is looked for: LOCKSTEP_GETH, else `geth` of the PATH. */
function candidate(): string {
  return process.env.LOCKSTEP_GETH ?? 'geth'
}

/** The geth to compare with, or why there is none. */
export function findGeth(): { readonly path: string } | { readonly reason: string } {
  const path = candidate()
  try {
    const text = execFileSync(path, ['version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    if (text.includes(`Version: ${GETH_VERSION}`)) return { path }
    return { reason: `${path} is not version ${GETH_VERSION}` }
  } catch {
    return { reason: `no geth at ${path}: set LOCKSTEP_GETH to geth ${GETH_VERSION}` }
  }
}

/** A geth of one developer's chain, on loopback: a block for each transaction. */
export interface Geth {
  readonly url: string
  readonly ws: string
  /** The unlocked account, which owns nearly everything. */
  readonly account: string
  /** Ends it as an operator would, so that all it knows is on disk. */
  stop(): Promise<unknown>
}

/** Serves nobody but the test: no peer, no port that another process may have. */
const ALONE = ['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable']

/** Starts geth on free ports of the loopback address, and waits until it serves. */
async function serve(
  path: string,
  data: string,
  modules: string,
  args: readonly string[],
): Promise<Omit<Geth, 'account'>> {
  const http = ['--http', '--http.port', '0', '--http.api', modules, '--authrpc.port', '0']
  const ws = ['--ws', '--ws.port', '0', '--ws.api', modules]
  const command = [path, '--datadir', data, '--gcmode', 'archive', ...ALONE, ...http, ...ws]
  const { says, stop } = startProgram([...command, ...args])
  const [endpoint, socket] = await says((output) => {
    const endpoint = /HTTP server started +endpoint=(\S+) auth=false/.exec(output)?.[1]
    const socket = /WebSocket enabled +url=(\S+)/.exec(output)?.[1]
    return endpoint === undefined || socket === undefined ? undefined : [endpoint, socket]
  })
  return { url: `http://${endpoint}`, ws: socket as string, stop }
}

/** Starts geth on the developer's chain of a data folder and waits until it answers. */
async function serveDev(path: string, data: string): Promise<Geth> {
  const geth = await serve(path, data, 'eth,debug,net,web3,txpool,admin', ['--dev'])
  const [account = ''] = await call<string[]>(geth.url, 'eth_accounts')
  return { ...geth, account }
}

interface GenesisFile {
  readonly config: Record<string, unknown> & { readonly blobSchedule: Record<string, unknown> }
}

/** geth's own developer's genesis, on Osaka: its later fork is dated, and half written in this release. */
async function osakaGenesis(path: string, folder: string): Promise<GenesisFile> {
  const data = join(folder, 'preset')
  await (await serveDev(path, data)).stop()
  const genesis = JSON.parse(
    execFileSync(path, ['--datadir', data, 'dumpgenesis'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as GenesisFile
  const { config } = genesis
  delete config.bogotaTime
  config.blobSchedule.osaka = config.blobSchedule.prague
  return genesis
}

/** Starts geth on a new developer's chain in `folder`, whose genesis it writes there as genesis.json. */
export async function startGeth(path: string, folder: string): Promise<Geth> {
  const file = join(folder, 'genesis.json')
  const data = join(folder, 'geth')
  writeFileSync(file, JSON.stringify(await osakaGenesis(path, folder)))
  execFileSync(path, ['--datadir', data, 'init', file], { stdio: 'ignore' })
  return serveDev(path, data)
}

/** Writes the blocks from 1 on as `geth export` does. */
export function exportChain(geth: Geth, file: string): Promise<boolean> {
  return call(geth.url, 'admin_exportChain', [file, 1])
}

/** Sends from geth's account and waits until the transaction is in a block. */
export async function sendFromGeth(
  geth: Geth,
  transaction: Readonly<Record<string, unknown>>,
): Promise<{ readonly blockNumber: string; readonly contractAddress: string | null }> {
  const { url, account } = geth
  const hash = await call<string>(url, 'eth_sendTransaction', [{ from: account, ...transaction }])
  for (;;) {
    const { result, error } = await post(url, 'eth_getTransactionReceipt', [hash])
    // For a while after its start geth answers so of transactions that are in no block yet.
    const isIndexing = error?.message === 'transaction indexing is in progress'
    if (error !== undefined && !isIndexing) throw new Error(error.message)
    if (result) return result as { blockNumber: string; contractAddress: string | null }
  }
}

/** A geth with every state of a chain whose blocks the caller commits. */
export interface ArchiveGeth {
  readonly rpc: string
  readonly ws: string
  stop(): Promise<unknown>
}

const HASHED = ['--state.scheme', 'hash']

/** Makes the database of a new chain in `home`. */
export function initArchive(geth: string, home: string, genesis: string): void {
  mkdirSync(home, { recursive: true })
  const file = join(home, 'genesis.json')
  writeFileSync(file, genesis)
  // Else the addresses and slots of the genesis state stay unknown by their hashes.
  const args = ['init', '--datadir', home, ...HASHED, '--cache.preimages', file]
  execFileSync(geth, args, { stdio: 'pipe' })
}

/** Starts geth with every state, every transaction indexed, in the memory that a short chain takes. */
export async function startArchive(geth: string, home: string): Promise<ArchiveGeth> {
  const args = [...HASHED, '--history.transactions', '0', '--syncmode', 'full', '--cache', '256']
  const { url, ...rest } = await serve(geth, home, 'eth,debug,net,web3,txpool,testing', args)
  return { rpc: url, ...rest }
}

/** Writes all blocks of a stopped geth's chain but the genesis into `file`. */
export function exportArchive(geth: string, home: string, file: string, last: number): void {
  const args = ['export', '--datadir', home, ...HASHED, file, '1', String(last)]
  execFileSync(geth, args, { stdio: 'pipe' })
}
