import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { messageOf } from '../../../base/error.ts'
import { NodeClient } from '../../../client/remote-node/node-client.ts'
import { safeText } from '../decode/format/safe-text.ts'
import type { DroppedFile } from '../decode/solc/artifact.ts'
import { readDropped } from '../decode/solc/read-dropped.ts'
import { UploadedArtifacts } from '../sources/uploaded-artifacts.ts'
import type { ViewPage } from '../view/page.ts'
import type { ViewLocation } from '../view/view-location.ts'
import { type AskedNode, askedNode } from './asked-node.ts'
import { isBundle } from './is-bundle.ts'
import { packBundle } from './link-bundle.ts'
import { type Opening, RunOpener } from './run-opener.ts'
import { readSearch } from './search.ts'
import type { SourceStore } from './source-store.ts'
import type { Theme } from './theme.ts'

export interface ExplorerOptions {
  readonly location: ViewLocation
  readonly theme: Theme
  /** The files that this browser keeps. */
  readonly kept: SourceStore
  /** URL of the JSON-RPC of the node that serves the page. */
  readonly ownNode: string | undefined
}

/** State shared by the whole page. */
export class Explorer {
  readonly location: ViewLocation
  readonly theme: Theme
  readonly ownNode: string | undefined
  /** The current node; undefined if the page has none. */
  readonly node: ReadonlySignal<AskedNode | undefined>
  readonly uploads = new UploadedArtifacts()
  /** Results of the last opened files, a line each. */
  readonly fileNotices: ReadonlySignal<readonly string[]>
  readonly isHelpOpen: ReadonlySignal<boolean>
  /** The next announcement for screen readers. */
  readonly announced: ReadonlySignal<string>
  readonly #opener: RunOpener
  readonly #kept: SourceStore
  readonly #fileNotices = signal<readonly string[]>([])
  readonly #isHelpOpen = signal(false)
  readonly #announced = signal('')

  constructor({ location, theme, kept, ownNode }: ExplorerOptions) {
    this.#kept = kept
    this.location = location
    this.theme = theme
    this.ownNode = ownNode
    this.fileNotices = this.#fileNotices
    this.isHelpOpen = this.#isHelpOpen
    this.announced = this.#announced
    const url = computed(() => location.view.value.rpc || ownNode)
    this.node = computed(() => askedNode(url.value))
    this.#opener = new RunOpener(location, this.uploads)
    effect(() => this.#opener.follow(location.view.value, this.node.value))
    void this.#restore()
  }

  /** The transaction of the view. */
  get opening(): ReadonlySignal<Opening> {
    return this.#opener.opening
  }

  announce(text: string): void {
    this.#announced.value = text
  }

  toggleHelp(isOpen: boolean = !this.#isHelpOpen.value): void {
    this.#isHelpOpen.value = isOpen
  }

  /** Goes to the target of a search; returns an error message if it is invalid. */
  async search(typed: string): Promise<string | undefined> {
    const found = readSearch(typed)
    if (found.kind === 'nothing') return found.problem
    if (found.kind === 'page') {
      this.location.go({ page: found.page })
      return undefined
    }
    const { hash } = found
    const node = this.node.value
    // Without a node the transaction page says what is missing.
    let page: ViewPage = { kind: 'tx', hash }
    if (node !== undefined) {
      try {
        const named = await node.reader.search(hash)
        if (named.kind === 'block') page = { kind: 'block', block: `${named.number}` }
      } catch (thrown) {
        return messageOf(thrown)
      }
    }
    this.location.go({ page })
    return undefined
  }

  /** Switches to another node; to the page's own for an empty URL. Returns an error message if it is invalid. */
  useNode(rpc: string): string | undefined {
    try {
      if (rpc !== '') new NodeClient(rpc)
    } catch (thrown) {
      return messageOf(thrown)
    }
    this.location.set({ rpc }, 'push')
    return undefined
  }

  /** Opens dropped or chosen files. */
  async openFiles(files: readonly File[]): Promise<void> {
    const given: DroppedFile[] = []
    const notices: string[] = []
    for (const file of files) notices.push(await this.#openFile(file, given))
    // Added together: each change examines all code of the run again.
    if (given.length > 0) this.uploads.add(given)
    this.#fileNotices.value = notices
    this.announce(notices.join('. '))
  }

  /** Forgets a dropped file, here and in what the browser keeps. */
  async forget(file: DroppedFile): Promise<void> {
    this.uploads.remove(file)
    try {
      await this.#kept.remove(file.name)
    } catch {
      // Without storage nothing was kept.
    }
  }

  dismissFileNotices(): void {
    this.#fileNotices.value = []
  }

  /** Copies the link of this view, including a bundle from a file if it is small enough. Returns a message. */
  async copyLink(): Promise<string> {
    const said = await this.#copyLink()
    this.announce(said)
    return said
  }

  /** Adds the files that the browser has kept, except those that were dropped again meanwhile. */
  async #restore(): Promise<void> {
    try {
      const stored = await this.#kept.all()
      const known = new Set(this.uploads.files.peek().map(({ name }) => name))
      const files = stored.filter(({ name }) => !known.has(name))
      if (files.length > 0) this.uploads.add(files.map(({ name, text }) => readDropped(name, text)))
    } catch {
      // The page works without storage; a file that is not kept is reported when it is dropped.
    }
  }

  /** Keeps a file for the next visit. Returns what a user must know of it. */
  async #keep(name: string, text: string): Promise<string> {
    try {
      return (await this.#kept.put({ name, text }))
        ? ''
        : ', and not kept for the next visit: there is no room for it'
    } catch {
      return ', and not kept for the next visit: the browser allows this page no storage'
    }
  }

  async #copyLink(): Promise<string> {
    const { page, bundle } = this.location.view.peek()
    const text = page.kind === 'bundle' && bundle === '' ? await this.#opener.fileText() : undefined
    const packed = text === undefined ? undefined : await packBundle(text)
    const link = this.location.permalink(packed === undefined ? {} : { bundle: packed })
    try {
      await navigator.clipboard.writeText(link)
    } catch {
      this.location.flush()
      return 'The browser did not allow copying: copy it from the address bar'
    }
    if (text === undefined) return 'Copied'
    return packed === undefined
      ? 'Copied; the recipient needs the bundle file too'
      : 'Copied, with the bundle in it'
  }

  /** Describes a file; a file for decoding is added to `given`. */
  async #openFile(file: File, given: DroppedFile[]): Promise<string> {
    const name = safeText(file.name)
    const text = await file.text()
    if (isBundle(text)) {
      this.#opener.openFile(file, this.node.value)
      return `${name}: a bundle`
    }
    const found = readDropped(file.name, text)
    const { problem, kind, artifacts, abi } = found
    const isUsed = artifacts.length > 0 || abi !== undefined || found.sources.length > 0
    if (isUsed) given.push(found)
    const what = artifacts.length === 0 ? kind : `${kind}, contracts: ${artifacts.length}`
    const unkept = isUsed ? await this.#keep(file.name, text) : ''
    const said = isUsed ? `${what}, used from now on${unkept}` : `not used: ${problem}`
    if (!isUsed) {
      return `${name}: ${said}. Supported are a bundle (of lockstep record), an ABI, an artifact, compiler output and a source.`
    }
    return problem === undefined ? `${name}: ${said}` : `${name}: ${said}; ${problem}`
  }
}
