import { createHash } from 'node:crypto'
import type { Command } from 'commander'
import { messageOf } from '../base/error.ts'
import { VERSION } from '../node/version.ts'
import { readModule } from '../node/wasm.ts'

/** SHA-256 of the engine: nodes with the same hash execute identically. */
async function engineHash(): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readModule('engine'))
      .digest('hex')
  } catch (thrown) {
    return messageOf(thrown)
  }
}

export function defineVersion(command: Command): void {
  command.option('--json', 'print an object').action(async ({ json }: { readonly json?: true }) => {
    const engine = await engineHash()
    const { version: node } = process
    process.stdout.write(
      json === true
        ? `${JSON.stringify({ version: VERSION, engine, node })}\n`
        : `${VERSION}\nengine ${engine}\nnode ${node}\n`,
    )
  })
}
