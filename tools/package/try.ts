/**
 * Packs this checkout, installs the package with npm in an empty folder, and uses it: a node, a bundle that it
 * records and runs again, the README's programs. It fetches the package's dependencies from the registry, which no
 * test may do.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mnemonicToAccount } from 'viem/accounts'
import { packageSizes, sizeTable } from './sizes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START_MS = 60_000
/** A dev node funds its first account. */
const MNEMONIC = 'test test test test test test test test test test test junk'

/** Runs a program to its end with this terminal, after a line that names it. */
function run(cwd: string, program: string, args: readonly string[]): void {
  console.log(`$ ${program} ${args.join(' ')}`)
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ended with ${status ?? error?.message}`)
}

/** Calls `work` with the URL of a dev node's RPC, and stops the node. */
async function withNode(
  folder: string,
  command: string,
  work: (rpc: string) => Promise<void>,
): Promise<void> {
  const ready = join(folder, 'ready.json')
  const ports = ['--evm.http-port', '0', '--rpc.laddr', 'tcp://127.0.0.1:0']
  const args = ['start', '--dev', '--home', join(folder, 'home'), '--ready-file', ready, ...ports]
  console.log(`$ ${command} ${args.join(' ')}`)
  const node = spawn(command, args, { cwd: folder, stdio: 'inherit' })
  const ended = new Promise((resolve) => node.on('close', resolve))
  try {
    for (let waited = 0; !existsSync(ready); waited += 50) {
      if (node.exitCode !== null || waited > START_MS) throw new Error('the node did not start')
      await setTimeout(50)
    }
    await work((JSON.parse(readFileSync(ready, 'utf8')) as { rpc: string }).rpc)
  } finally {
    node.kill('SIGTERM')
    await ended
  }
}

async function ask(rpc: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

/** Sends a contract whose code writes a slot, and records it when a block includes it. */
async function recordDeployment(folder: string, command: string, rpc: string): Promise<void> {
  const raw = await mnemonicToAccount(MNEMONIC).signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce: 0,
    gas: 100_000n,
    maxFeePerGas: 10_000_000_000n,
    data: '0x60075f5500',
  })
  const receipt = await ask(rpc, 'eth_sendRawTransactionSync', [raw])
  const { transactionHash } = receipt as { transactionHash: string }
  run(folder, command, ['record', transactionHash, '--url', rpc, '--out', 'bundles'])
}

/** Returns the programs of the package's page for Node, in order. */
function pagePrograms(): string[] {
  const page = readFileSync(join(ROOT, 'host/entry/README.md'), 'utf8')
  const programs = Array.from(page.matchAll(/^```js\n(.*?)^```$/gms), ([, text = '']) => text)
  return programs.filter((text) => /from 'lockstep\/(?:engine|replay)'/.test(text))
}

async function tryPackage(folder: string): Promise<void> {
  run(ROOT, 'npm', ['pack', '--silent', '--pack-destination', folder])
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string
  }
  const tarball = join(folder, `lockstep-${version}.tgz`)
  const prefix = join(folder, 'global')
  run(folder, 'npm', ['install', '--global', '--prefix', prefix, tarball])
  const command = join(prefix, 'bin', 'lockstep')
  run(folder, command, ['version'])
  await withNode(folder, command, (rpc) => recordDeployment(folder, command, rpc))
  run(folder, command, ['replay', 'bundles'])

  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  run(project, 'npm', ['install', tarball])
  const installed = join(project, 'node_modules', 'lockstep')
  for (const [index, text] of pagePrograms().entries()) {
    const program = `program-${index}.js`
    writeFileSync(join(project, program), text)
    const bundles = text.includes('lockstep/replay') ? bundlesIn(join(folder, 'bundles')) : []
    run(project, process.execPath, [program, ...bundles])
  }
  console.log(sizeTable(packageSizes(tarball, installed)))
}

function bundlesIn(folder: string): string[] {
  return readdirSync(folder).map((name) => join(folder, name))
}

const folder = mkdtempSync(join(tmpdir(), 'lockstep package '))
try {
  await tryPackage(folder)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
