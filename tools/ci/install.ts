import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { lookup } from '../../host/base/lookup.ts'
import { errorIn, type Finished, once } from './install-once.ts'
import type { PeerName } from './peers.ts'

/** Result of an install: what it installed or why it did not, and the variables by which tests find it. */
export interface Installed {
  readonly message: string
  readonly variables?: Readonly<Record<string, string>>
}

/** Installs one peer, unless its sources are unchanged. Never throws: without a peer its tests are skipped. */
export type Install = (root: string) => Promise<Installed>

const COMETBFT_RELEASE = '0.38'
const COMETBFT = 'github.com/cometbft/cometbft/cmd/cometbft@v0.38.19'
const GO_SECONDS = 600

function run(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  seconds = 900,
): Promise<Finished> {
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: seconds * 1000,
  })
  // Do not stop the system's package manager: an interrupted one leaves the system in need of repair.
  const end = () => program !== 'apt-get' && child.kill()
  process.once('exit', end)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 127, output: error.message }))
    child.on('close', (code) => {
      process.off('exit', end)
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() })
    })
  })
}

function has(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0
}

/** Installs npm packages below a folder. */
function npmPackages(name: PeerName, folder: string, flags: readonly string[] = []): Install {
  return async (root) => {
    const at = join(root, folder)
    const sources = [join(at, 'package.json'), join(at, 'package-lock.json')]
    const quiet = ['--silent', '--no-audit', '--no-save', ...flags]
    // Uses the current Node: under an older one npm omits packages that require Node 22, such as Hardhat's native
    // part.
    const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
    const failure = await once(root, name, { sources, target: join(at, 'node_modules') }, () =>
      run('npm', ['install', ...quiet, '--prefix', at], { PATH: path }),
    )
    return { message: failure === undefined ? folder : `no ${name} (${folder}): ${failure}` }
  }
}

/** Installs a Node of another release, on which one digest is checked too. */
function otherNode(name: PeerName, major: number): Install {
  return async (root) => {
    const folder = join(root, `.cache/node-${major}`)
    const wanted = `node-${process.platform}-${process.arch}@${major}`
    const target = join(folder, 'node_modules')
    const failure = await once(root, name, { sources: [wanted], target }, () =>
      run('npm', [
        'install',
        '--silent',
        '--no-audit',
        '--ignore-scripts',
        '--prefix',
        folder,
        wanted,
      ]),
    )
    return { message: failure === undefined ? wanted : `no ${wanted}: ${failure}` }
  }
}

/** Installs a Python with packages of its own. */
function pythonPackages(name: PeerName, suffix: string, variable: string): Install {
  return async (root) => {
    const named = lookup(process.env, variable)
    if (named !== undefined) return { message: `${variable}=${named}` }
    const folder = join(root, '.cache', name)
    const list = join(root, `bench/peers/python${suffix}.txt`)
    const python = join(folder, 'bin/python')
    const failure = await once(root, name, { sources: [list], target: python }, async () => {
      const made = await run('python3', ['-m', 'venv', folder])
      if (made.code !== 0) return made
      const quiet = ['--quiet', '--disable-pip-version-check']
      return run(python, ['-m', 'pip', 'install', ...quiet, '-r', list])
    })
    if (failure !== undefined)
      return { message: `no ${name} (bench/peers/python${suffix}.txt): ${failure}` }
    return { message: python, variables: { [variable]: python } }
  }
}

/**
 * Installs CometBFT, which drives networks of nodes: the required release if the machine has it, else a build if Go
 * is available.
 */
async function installCometbft(root: string): Promise<Installed> {
  const variable = 'LOCKSTEP_COMETBFT'
  const named = process.env.LOCKSTEP_COMETBFT
  if (named !== undefined) return { message: `${variable}=${named}` }
  const built = join(root, '.cache/cometbft/cometbft')
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'cometbft'))
  const find = () =>
    [...onPath, join(homedir(), 'go/bin/cometbft'), built]
      .filter((path) => existsSync(path))
      .find((path) => {
        const { stdout } = spawnSync(path, ['version'], { encoding: 'utf8' })
        return (stdout ?? '').startsWith(`${COMETBFT_RELEASE}.`)
      })
  const found = find()
  if (found !== undefined) return { message: found, variables: { [variable]: found } }
  const go = has('go') ? 'go' : '/usr/local/go/bin/go'
  if (go !== 'go' && !existsSync(go)) {
    return { message: `no cometbft ${COMETBFT_RELEASE}, and no Go to build it` }
  }
  const environment = { GOBIN: dirname(built), GOFLAGS: '-modcacherw' }
  const { output } = await run(go, ['install', COMETBFT], environment, GO_SECONDS)
  const made = find()
  if (made !== undefined) return { message: `built ${made}`, variables: { [variable]: made } }
  return { message: `no cometbft: ${COMETBFT} was not built: ${errorIn(output)}` }
}

/** Without the browsers their tests are skipped, with a message. */
async function installBrowsers(): Promise<Installed> {
  const wanted: string[] = []
  if (!has('chromium')) wanted.push('chromium')
  if (!has('firefox-esr') && !has('firefox')) wanted.push('firefox-esr')
  if (wanted.length === 0) return { message: 'chromium and firefox are there' }
  if (process.getuid?.() !== 0 || !has('apt-get')) {
    return { message: `no ${wanted.join(', ')}: not installed here, which takes root and apt-get` }
  }
  // The fonts of the reference screenshots.
  const packages = [...wanted, 'fonts-dejavu-core', 'fonts-dejavu-extra']
  const bounds = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20']
  const apt = (args: readonly string[]) =>
    run('apt-get', [...bounds, ...args], { DEBIAN_FRONTEND: 'noninteractive' })
  const updated = await apt(['update'])
  const ended =
    updated.code === 0
      ? await apt(['install', '--yes', '--no-install-recommends', ...packages])
      : updated
  if (ended.code === 0) return { message: `installed ${wanted.join(', ')}` }
  return { message: `no ${wanted.join(', ')}: apt-get failed: ${errorIn(ended.output)}` }
}

/** Finds Debian's PostgreSQL. Installing it would start a service, so that is left to the machine's owner. */
async function findPostgres(): Promise<Installed> {
  const variable = 'LOCKSTEP_POSTGRES'
  const named = process.env.LOCKSTEP_POSTGRES
  if (named !== undefined) return { message: `${variable}=${named}` }
  const debian = '/usr/lib/postgresql'
  const releases = existsSync(debian) ? readdirSync(debian) : []
  const folders = [
    ...releases
      .sort((a, b) => Number(b) - Number(a))
      .map((release) => join(debian, release, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  const found = folders.find((folder) => folder !== '' && existsSync(join(folder, 'initdb')))
  if (found !== undefined) return { message: found, variables: { [variable]: found } }
  return { message: 'no PostgreSQL: apt-get install postgresql' }
}

const INSTALLS: Readonly<Record<PeerName, Install>> = {
  browsers: installBrowsers,
  cometbft: installCometbft,
  'node-24': otherNode('node-24', 24),
  'node-26': otherNode('node-26', 26),
  peers: npmPackages('peers', 'bench/peers'),
  agentkit: npmPackages('agentkit', 'bench/peers/agentkit'),
  hardhat: npmPackages('hardhat', 'bench/peers/hardhat', ['--no-package-lock']),
  foundry: npmPackages('foundry', 'bench/peers/foundry', ['--no-package-lock']),
  starters: npmPackages('starters', 'bench/peers/starters', ['--no-package-lock']),
  python: pythonPackages('python', '', 'LOCKSTEP_PYTHON'),
  'python-clients': pythonPackages('python-clients', '-clients', 'LOCKSTEP_PYTHON_CLIENTS'),
  postgres: findPostgres,
}

/** Installs peers in parallel, each once per run. */
export class Installer {
  readonly #root: string
  readonly #say: (line: string) => void
  readonly #started = new Map<PeerName, Promise<void>>()
  #running = 0
  /** Environment variables by which the tests find the peers. */
  variables: Readonly<Record<string, string>> = {}

  constructor(root: string, say: (line: string) => void) {
    this.#root = root
    this.#say = say
  }

  /** Resolves when the peers are installed, or have failed. */
  async install(names: readonly PeerName[]): Promise<void> {
    await Promise.all(
      names.map((name) => {
        const started = this.#started.get(name) ?? this.#install(name)
        this.#started.set(name, started)
        return started
      }),
    )
  }

  /** Returns whether no install is running. */
  isDone(): boolean {
    return this.#running === 0
  }

  async #install(name: PeerName): Promise<void> {
    const started = performance.now()
    this.#running++
    const { message, variables } = await INSTALLS[name](this.#root)
    this.#running--
    this.variables = { ...this.variables, ...variables }
    this.#say(`== ${name}: ${message}, ${Math.round((performance.now() - started) / 1000)} s`)
  }
}
