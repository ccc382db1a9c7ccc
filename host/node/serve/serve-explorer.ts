import { isLoopbackHost } from '../../api/server/loopback.ts'
import type { HttpHandler } from '../../api/server/server.ts'
import type { Config } from '../../base/config/schema.ts'
import { type ExplorerFiles, readExplorer } from './explorer-files.ts'
import { absentExplorer, explorerHandler } from './explorer-handler.ts'

/** A node's explorer: the handler below /explorer. */
export interface ServedExplorer {
  readonly handler: HttpHandler
  readonly isServed: boolean
  /** Reason if the page is missing although enabled. */
  readonly missing?: string
}

function absent(reason: string): ServedExplorer {
  return { handler: absentExplorer(reason), isServed: false }
}

/** Opens the explorer by section [explorer] of app.toml. */
export async function openExplorer(
  { explorer, evm }: Config,
  read: () => Promise<ExplorerFiles | undefined> = readExplorer,
): Promise<ServedExplorer> {
  if (!explorer.enable) {
    return absent('the explorer is off: set enable = true in [explorer] of app.toml')
  }
  if (!explorer.public && !isLoopbackHost(evm.httpAddress)) {
    return absent(
      'the explorer is served only on a loopback http_address, unless public in [explorer] of app.toml is true',
    )
  }
  const files = await read()
  if (files === undefined) {
    const missing = 'build/explorer is missing: in a checkout, build it with `npm run explorer`'
    return { ...absent(`the explorer was not built: ${missing}`), missing }
  }
  return { handler: explorerHandler(files, evm.httpCompression), isServed: true }
}
