import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/http-server.ts'
import { ANVIL } from '../test/support/peer/anvil.ts'
import { median } from './statistics.ts'

const CHECKOUT = fileURLToPath(new URL('../tools/lockstep.mjs', import.meta.url))
const SOURCES = fileURLToPath(new URL('../host/cli/main.ts', import.meta.url))
/** The output of `npm run -s prepack`, which users install. */
const PACKED = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const LOOK_MS = 2
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

/** A timed operation, in milliseconds. */
type Case = () => number | Promise<number>

/** Returns a case that runs a program to its end. */
function ended(program: string, args: readonly string[]): Case {
  return () => {
    const began = performance.now()
    const { status } = spawnSync(program, args, { stdio: 'ignore' })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
    return performance.now() - began
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const asked = request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    })
    asked.on('error', () => resolve(false))
    asked.end(BODY)
  })
}

/** Returns a case from the command to the first response of a development chain in a new folder. */
function answered(program: string, argsFor: (port: number, rpc: number) => string[]): Case {
  return async () => {
    const home = mkdtempSync(join(tmpdir(), 'lockstep-start-'))
    const port = await freePort()
    const args = argsFor(port, await freePort())
    const began = performance.now()
    const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, HOME: home } })
    const exited = once(child, 'exit')
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
      await delay(LOOK_MS)
    }
    const milliseconds = performance.now() - began
    child.kill()
    await exited
    rmSync(home, { recursive: true, force: true })
    return milliseconds
  }
}

function node(main: string): Case {
  return answered(process.execPath, (port, rpc) => [
    ...[main, 'start', '--dev', '--evm.http-port', String(port)],
    ...['--rpc.laddr', `tcp://127.0.0.1:${rpc}`],
  ])
}

/** Returns a case of a thread, from its construction until its script has loaded all imports. */
function threadReady(script: string): Case {
  const program = `
    import { Worker } from 'node:worker_threads'
    const began = performance.now()
    const wrapped = \`import(\${JSON.stringify(process.argv[1])}).then(
      () => process.getBuiltinModule('node:worker_threads').parentPort.postMessage(0))\`
    const area = new SharedArrayBuffer(1 << 20)
    const workerData = { modules: {}, area, stops: area, lanes: 1, scriptBytes: 1 << 24 }
    const worker = new Worker(wrapped, { eval: true, workerData })
    worker.once('message', () => { console.log(performance.now() - began); process.exit() })`
  const cache = join(dirname(script), 'cache')
  return () => {
    const args = ['--input-type=module', '-e', program, '--', pathToFileURL(script).href]
    const env = { ...process.env, NODE_COMPILE_CACHE: cache }
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
    if (stdout === '') throw new Error(stderr)
    return Number(stdout)
  }
}

function casesOf(bundle: string): Readonly<Record<string, Case>> {
  const script = (name: string) => threadReady(join(dirname(bundle), name))
  return {
    'node -e 0': ended(process.execPath, ['-e', '0']),
    '--version, checkout': ended(process.execPath, [CHECKOUT, '--version']),
    '--version, sources': ended(process.execPath, [SOURCES, '--version']),
    ...(existsSync(PACKED) && {
      '--version, package': ended(process.execPath, [PACKED, '--version']),
    }),
    ...(existsSync(ANVIL) && {
      'first answer, anvil': answered(ANVIL, (port) => ['--silent', '--port', String(port)]),
    }),
    'first answer, checkout': node(CHECKOUT),
    'first answer, sources': node(SOURCES),
    ...(existsSync(PACKED) && { 'first answer, package': node(PACKED) }),
    'thread, store': script('store-worker.js'),
    'thread, traces': script('trace-worker.js'),
  }
}

/** Measures how soon commands end, a development chain responds and threads are ready. */
export async function runStartBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '5' }, case: { type: 'string', default: '' } },
  })
  const bundle = process.env.BUNDLED_COMMAND
  if (bundle === undefined) throw new Error('start it with `npm run -s bench -- start`')
  const chosen = Object.entries(casesOf(bundle)).filter(([name]) => name.includes(values.case))
  const taken = new Map(chosen.map(([name]) => [name, [] as number[]]))
  // The first round fills the compile caches
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [name, measure] of chosen) {
      const milliseconds = await measure()
      if (round > 0) taken.get(name)?.push(milliseconds)
    }
  }
  const floor = median(taken.get('node -e 0') ?? [])
  const peer = median(taken.get('first answer, anvil') ?? [])
  for (const [name, milliseconds] of taken) {
    const ms = median(milliseconds)
    const ratio = Number((ms / (name.startsWith('first') ? peer : floor)).toFixed(2))
    console.log(JSON.stringify({ case: name, ms: Number(ms.toFixed(1)), ratio }))
  }
}
