import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Manifest, readManifest } from '../../../tools/package/manifest.ts'

export const CHECKOUT: string = fileURLToPath(new URL('../../..', import.meta.url))

const SHARED = ['node_modules', '.cache']
/** Not needed for packing, or rebuilt for it. */
const LEFT_OUT = ['.cache', '.git', 'dist', 'build/lockstep', 'build/test']

/** A folder with the package installed, without access to anything else of this checkout. */
export interface Installation {
  readonly folder: string
  /** Path of the package in it. */
  readonly package: string
  readonly manifest: Manifest
  readonly tarball: string
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Returns the environment of programs in an installation: a shell's variables, with the Node of this process first in
 * the PATH.
 */
export function bareEnvironment(home: string): Record<string, string> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
  return { PATH: path, HOME: home, TMPDIR: home, LANG: 'C.UTF-8' }
}

/** Runs a program in a folder to its end. */
export function runIn(
  folder: string,
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = { ...bareEnvironment(folder), ...variables }
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, env, maxBuffer: 2 ** 27 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code)
      resolve({ code, stdout, stderr: Number.isNaN(code) ? `${stderr}${error}` : stderr })
    })
  })
}

async function mustRun(folder: string, program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runIn(folder, program, args, {
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stderr}`)
  return stdout
}

/** Returns the tarball that `npm pack` makes from a copy of this checkout. */
export async function packCheckout(folder: string): Promise<string> {
  const checkout = join(folder, 'a checkout')
  cpSync(CHECKOUT, checkout, {
    recursive: true,
    // node_modules of the peers have hundreds of megabytes.
    filter: (path) =>
      basename(path) !== 'node_modules' && !LEFT_OUT.some((name) => path === join(CHECKOUT, name)),
  })
  for (const name of SHARED) symlinkSync(join(CHECKOUT, name), join(checkout, name))
  const output = await mustRun(checkout, 'npm', ['pack', '--pack-destination', folder])
  return join(folder, output.trim().split('\n').at(-1) as string)
}

/**
 * Packs this checkout and installs the tarball below `folder` as npm does, without a network. Only the package's own
 * dependencies are linked, from the checkout.
 */
export async function installPackage(folder: string): Promise<Installation> {
  const tarball = await packCheckout(folder)
  const project = join(folder, 'a project')
  const installed = join(project, 'node_modules', 'lockstep')
  mkdirSync(installed, { recursive: true })
  await mustRun(project, 'tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1'])
  const manifest = readManifest(installed)
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    linkDependency(project, name)
  }
  const commands = join(project, 'node_modules', '.bin')
  mkdirSync(commands)
  for (const [name, path] of Object.entries(manifest.bin)) {
    chmodSync(join(installed, path), 0o755)
    symlinkSync(join('..', 'lockstep', path), join(commands, name))
  }
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  return { folder: project, package: installed, manifest, tarball }
}

/** Links a package of the checkout into a project, as if installed there. */
export function linkDependency(project: string, name: string): void {
  const link = join(project, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules', name), link)
}
