import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { devAccount } from '../node/dev-wallet.ts'
import { outputOf } from '../program.ts'
import type { ClientRow, Paid, PayingClient } from './paying-clients.ts'

const PYTHON = process.env.LOCKSTEP_PYTHON_CLIENTS ?? 'python3'

/** Returns a suffix for a test's name if that Python lacks this version of the package, otherwise an empty string. */
export function absentPython(name: string, version: string): string {
  const probe = `import importlib.metadata as m; print(m.version("${name}"))`
  const found = spawnSync(PYTHON, ['-c', probe], { encoding: 'utf8' }).stdout?.trim()
  if (found === version) return ''
  return ` (${PYTHON} has no ${name} ${version}: LOCKSTEP_PYTHON_CLIENTS, bench/peers/python-clients.txt)`
}

/** Runs a program of this folder with a task on its standard input. Resolves with the JSON that it prints. */
export async function runPython<Answer>(program: string, task: object): Promise<Answer> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  return JSON.parse(await outputOf([PYTHON, path], JSON.stringify(task))) as Answer
}

/** Returns the key of a dev account by its address. */
function keyOf(address: string): string {
  for (let index = 0; index < 10; index++) {
    const account = devAccount(index)
    if (account.address !== address) continue
    return `0x${Buffer.from(account.getHdKey().privateKey as Uint8Array).toString('hex')}`
  }
  throw new Error(`${address} is no dev account`)
}

function payBy(library: 'requests' | 'httpx'): PayingClient {
  return async (url, _chain, account) => {
    return runPython<Paid>('python-payer.py', { library, url, key: keyOf(account.address) })
  }
}

const ABSENT = absentPython('x402', '2.25.0')

/** The published client in Python. */
export const PYTHON_CLIENTS: readonly ClientRow[] = [
  {
    name: `Python x402 2.25 with requests${ABSENT}`,
    packages: [],
    protocol: 'v2',
    get: payBy('requests'),
    isAbsent: ABSENT !== '',
  },
  {
    name: `Python x402 2.25 with httpx${ABSENT}`,
    packages: [],
    protocol: 'v2',
    get: payBy('httpx'),
    isAbsent: ABSENT !== '',
  },
]
