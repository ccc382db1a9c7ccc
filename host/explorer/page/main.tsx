import { render } from 'preact'
import { ExplorerApp } from './app.tsx'
import { listenToKeys } from './keyboard/keyboard.ts'
import { Explorer } from './state/explorer.ts'
import { ExplorerContext } from './state/explorer-context.ts'
import { SourceStore } from './state/source-store.ts'
import { Theme } from './state/theme.ts'
import { ViewLocation } from './view/view-location.ts'

const root = document.getElementById('explorer')
if (root === null) throw new Error('index.html has no element "explorer"')

/** A value that the server wrote into the page; undefined if the page is opened as a file. */
function fromServer(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || undefined
}

const location = new ViewLocation(window, fromServer('explorer-base'))
const rpc = fromServer('explorer-rpc')
const explorer = new Explorer({
  location,
  theme: new Theme(window),
  kept: new SourceStore(window.indexedDB),
  ownNode: rpc === undefined ? undefined : new URL(rpc, window.location.href).href,
})
listenToKeys(document, explorer)
render(
  <ExplorerContext.Provider value={explorer}>
    <ExplorerApp />
  </ExplorerContext.Provider>,
  root,
)
