import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, post } from './json-rpc.ts'

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
  stop(): Promise<void>
}

/** Starts geth on the developer's chain of a data folder and waits until it answers. */
async function serve(path: string, data: string): Promise<Geth> {
  const args = ['--dev', '--datadir', data, '--gcmode', 'archive']
  args.push('--http', '--http.addr', '127.0.0.1', '--http.port', '0')
  args.push('--http.api', 'eth,debug,net,web3,txpool,admin', '--ws', '--ws.port', '0')
  args.push('--ws.addr', '127.0.0.1', '--ws.api', 'eth,debug,net,web3,txpool')
  args.push('--ipcdisable', '--nodiscover', '--port', '0', '--authrpc.port', '0')
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const { url, ws } = await listening(child)
  const [account = ''] = await call<string[]>(url, 'eth_accounts')
  return {
    url,
    ws,
    account,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

interface GenesisFile {
  readonly config: Record<string, unknown> & { readonly blobSchedule: Record<string, unknown> }
}

/** geth's own developer's genesis, on Osaka: its later fork is dated, and half written in this release. */
async function osakaGenesis(path: string, folder: string): Promise<GenesisFile> {
  const data = join(folder, 'preset')
  await (await serve(path, data)).stop()
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
  return serve(path, data)
}

/** The addresses of the two servers, from the log. */
function listening(child: ChildProcess): Promise<{ url: string; ws: string }> {
  let log = ''
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`geth ended with ${code}:\n${log}`)))
    child.stderr?.on('data', (chunk: Buffer) => {
      log += chunk
      const http = /HTTP server started\s+endpoint=(\S+)/.exec(log)?.[1]
      const ws = /WebSocket enabled\s+url=(\S+)/.exec(log)?.[1]
      if (http !== undefined && ws !== undefined) resolve({ url: `http://${http}`, ws })
    })
  })
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
