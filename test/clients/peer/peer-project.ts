import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A project below bench/peers, with tools of its own that npm installs there. */
export interface PeerProject {
  readonly folder: string
  /** Why its tools cannot be run; undefined where they can. */
  readonly absent: string | undefined
}

/** @param tool path below the project's node_modules that shows whether it is installed */
export function findPeerProject(name: string, tool: string): PeerProject {
  const folder = fileURLToPath(new URL(`../../../bench/peers/${name}`, import.meta.url))
  const isInstalled = existsSync(join(folder, 'node_modules', tool))
  const install = `npm install --no-save --no-package-lock --prefix bench/peers/${name}`
  return { folder, absent: isInstalled ? undefined : `${name} is absent: ${install}` }
}

export interface Finished {
  readonly code: number | string
  /** Both streams, as they came, without colours. */
  readonly output: string
}

/** Runs a tool in its project's folder to its end; Node's programs find this Node first. */
export function runPeerTool(
  { folder }: PeerProject,
  [program = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Finished> {
  const path = [dirname(process.execPath), process.env.PATH].join(':')
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', PATH: path, ...variables },
  })
  let output = ''
  const keep = (chunk: Buffer): void => {
    output += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 0, output }))
  })
}
