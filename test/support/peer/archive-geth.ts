import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A geth with every state of a chain whose blocks the caller commits, in a process of its own. */
export interface ArchiveGeth {
  readonly rpc: string
  readonly ws: string
  /** Ends it as an operator would, so that all it knows is on disk. */
  stop(): Promise<void>
}

/** Keeps every state, and indexes every transaction. */
const ARCHIVE = ['--gcmode', 'archive', '--state.scheme', 'hash', '--history.transactions', '0']
const MODULES = 'eth,debug,net,web3,txpool,testing'
/** Needs no peer, no port that another process may have, and no more memory than a short chain takes. */
const ALONE = ['--nodiscover', '--maxpeers', '0', '--port', '0', '--ipcdisable', '--cache', '256']

function run(geth: string, args: readonly string[]): void {
  execFileSync(geth, args, { stdio: 'pipe' })
}

/** Makes the database of a new chain in `home`. */
export function initArchive(geth: string, home: string, genesis: string): void {
  mkdirSync(home, { recursive: true })
  const file = join(home, 'genesis.json')
  writeFileSync(file, genesis)
  // Else the addresses and slots of the genesis state stay unknown by their hashes.
  run(geth, ['init', '--datadir', home, '--state.scheme', 'hash', '--cache.preimages', file])
}

/** Starts geth on free ports of the loopback address, and waits until it serves. */
export async function startArchive(geth: string, home: string): Promise<ArchiveGeth> {
  const args = ['--datadir', home, ...ARCHIVE, '--syncmode', 'full', ...ALONE]
  args.push('--authrpc.port', '0', '--http', '--http.port', '0', '--http.api', MODULES)
  args.push('--ws', '--ws.port', '0', '--ws.api', MODULES)
  const child = spawn(geth, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const { rpc, ws } = await servedAt(child)
  return {
    rpc,
    ws,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

function servedAt(child: ChildProcess): Promise<{ readonly rpc: string; readonly ws: string }> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`geth ended with ${code}:\n${output}`)))
    child.stderr?.on('data', (chunk) => {
      if (output.length > 1_000_000) return
      output += chunk
      const endpoint = /HTTP server started +endpoint=(\S+) auth=false/.exec(output)?.[1]
      const ws = /WebSocket enabled +url=(\S+)/.exec(output)?.[1]
      if (endpoint !== undefined && ws !== undefined) resolve({ rpc: `http://${endpoint}`, ws })
    })
  })
}

/** Writes all blocks of a stopped geth's chain but the genesis into `file`. */
export function exportArchive(geth: string, home: string, file: string, last: number): void {
  run(geth, ['export', '--datadir', home, '--state.scheme', 'hash', file, '1', String(last)])
}
