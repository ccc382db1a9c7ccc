import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../support/program.ts'

/** A project below bench/peers with its own tools, installed there by npm. */
export interface PeerProject {
  readonly folder: string
  /** Why its tools cannot be run, or undefined if they can. */
  readonly absent: string | undefined
}

/** @param tool path below the project's node_modules that exists if it is installed */
export function findPeerProject(name: string, tool: string): PeerProject {
  const folder = fileURLToPath(new URL(`../../../bench/peers/${name}`, import.meta.url))
  const isInstalled = existsSync(join(folder, 'node_modules', tool))
  const install = `npm install --no-save --no-package-lock --prefix bench/peers/${name}`
  return { folder, absent: isInstalled ? undefined : `${name} is absent: ${install}` }
}

/** Runs a tool in its project's folder to its end. The Node that runs the tests comes first in its PATH. */
export async function runPeerTool(
  { folder }: PeerProject,
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | string; readonly output: string }> {
  const path = [dirname(process.execPath), process.env.PATH].join(':')
  const { code, stdout, stderr } = await runProgram(command, '', {
    cwd: folder,
    variables: { NO_COLOR: '1', PATH: path, ...variables },
  })
  return { code, output: `${stdout}${stderr}` }
}
