import { isLoopbackHost } from '../../api/server/loopback.ts'
import type { HttpHandler } from '../../api/server/server.ts'
import type { Config } from '../../base/config/schema.ts'
import { type ExplorerFiles, readExplorer } from './explorer-files.ts'
import { absentExplorer, explorerHandler } from './explorer-handler.ts'

/** The explorer of a node: what answers below /explorer, and whether that is the page. */
export interface ServedExplorer {
  readonly handler: HttpHandler
  readonly isServed: boolean
  /** Why there is no page although it was asked for. */
  readonly missing?: string
}

function absent(reason: string): ServedExplorer {
  return { handler: absentExplorer(reason), isServed: false }
}

/** The explorer by section [explorer] of app.toml. */
export async function openExplorer(
  { explorer, evm }: Config,
  read: () => Promise<ExplorerFiles | undefined> = readExplorer,
): Promise<ServedExplorer> {
  if (!explorer.enable) {
    return absent('the explorer is off: enable in [explorer] of app.toml turns it on')
  }
  if (!explorer.public && !isLoopbackHost(evm.httpAddress)) {
    return absent(
      'the explorer is served on a loopback http_address alone, unless public in [explorer] of app.toml is true',
    )
  }
  const files = await read()
  if (files === undefined) {
    const missing = 'build/explorer is missing: in a checkout `npm run explorer` makes it'
    return { ...absent(`the explorer was not built: ${missing}`), missing }
  }
  return { handler: explorerHandler(files, evm.httpCompression), isServed: true }
}
