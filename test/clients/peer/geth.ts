import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, post } from '../../support/node/json-rpc.ts'
import { startProgram } from '../../support/program.ts'

/** The geth release to compare with. Other releases have other messages. */
export const GETH_VERSION = '1.17.10'

/** Returns the path to try: LOCKSTEP_GETH, otherwise `geth` in the PATH. */
function candidate(): string {
  return process.env.LOCKSTEP_GETH ?? 'geth'
}

/** Returns the geth to compare with, or the reason why it is unavailable. */
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

/** A geth in developer mode on loopback, which makes a block for each transaction. */
export interface Geth {
  readonly url: string
  readonly ws: string
  /** The unlocked account, which owns nearly all wei. */
  readonly account: string
  /** Stops it with a signal, so that it writes everything to disk. */
  stop(): Promise<unknown>
}

/** Flags for a node that serves only the test: no peers, no IPC, and no fixed port. */
const ALONE = ['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable']

/** Starts geth on free loopback ports and waits until it responds. */
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

/** Starts geth in developer mode on a data folder and waits until it responds. */
async function serveDev(path: string, data: string): Promise<Geth> {
  const geth = await serve(path, data, 'eth,debug,net,web3,txpool,admin', ['--dev'])
  const [account = ''] = await call<string[]>(geth.url, 'eth_accounts')
  return { ...geth, account }
}

interface GenesisFile {
  readonly config: Record<string, unknown> & { readonly blobSchedule: Record<string, unknown> }
}

/** Returns geth's developer genesis up to Osaka. A later fork has a date but is not complete in this release. */
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

/** Starts geth on a new developer chain in `folder`, and writes its genesis there as genesis.json. */
export async function startGeth(path: string, folder: string): Promise<Geth> {
  const file = join(folder, 'genesis.json')
  const data = join(folder, 'geth')
  writeFileSync(file, JSON.stringify(await osakaGenesis(path, folder)))
  execFileSync(path, ['--datadir', data, 'init', file], { stdio: 'ignore' })
  return serveDev(path, data)
}

/** Writes all blocks from 1 on, as `geth export` does. */
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
    // For a while after its start, geth returns this error for pending transactions.
    const isIndexing = error?.message === 'transaction indexing is in progress'
    if (error !== undefined && !isIndexing) throw new Error(error.message)
    if (result) return result as { blockNumber: string; contractAddress: string | null }
  }
}

/** An archive geth of a chain whose blocks the caller commits. */
export interface ArchiveGeth {
  readonly rpc: string
  readonly ws: string
  stop(): Promise<unknown>
}

const HASHED = ['--state.scheme', 'hash']

/** Creates the database of a new chain in `home`. */
export function initArchive(geth: string, home: string, genesis: string): void {
  mkdirSync(home, { recursive: true })
  const file = join(home, 'genesis.json')
  writeFileSync(file, genesis)
  // Without this flag, addresses and slots of the genesis state have no preimages.
  const args = ['init', '--datadir', home, ...HASHED, '--cache.preimages', file]
  execFileSync(geth, args, { stdio: 'pipe' })
}

/** Starts geth as an archive node with all transactions indexed and little memory. */
export async function startArchive(geth: string, home: string): Promise<ArchiveGeth> {
  const args = [...HASHED, '--history.transactions', '0', '--syncmode', 'full', '--cache', '256']
  const { url, ...rest } = await serve(geth, home, 'eth,debug,net,web3,txpool,testing', args)
  return { rpc: url, ...rest }
}

/** Writes all blocks except the genesis of a stopped geth into `file`. */
export function exportArchive(geth: string, home: string, file: string, last: number): void {
  const args = ['export', '--datadir', home, ...HASHED, file, '1', String(last)]
  execFileSync(geth, args, { stdio: 'pipe' })
}
