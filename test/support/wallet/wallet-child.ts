import { readdirSync, readFileSync } from 'node:fs'

/** The script of a wallet process. */
export type WalletChildName = 'service-main' | 'signer-main'

/** Returns the id of the wallet process that a node has started, or undefined while there is none. */
export function walletChild(nodePid: number, name: WalletChildName): number | undefined {
  for (const pid of readdirSync('/proc').filter((entry) => /^[0-9]+$/.test(entry))) {
    try {
      const [, parent] = /PPid:\s*([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (Number(parent) === nodePid && command.includes(name)) return Number(pid)
    } catch {
      // The process has ended meanwhile.
    }
  }
  return undefined
}
