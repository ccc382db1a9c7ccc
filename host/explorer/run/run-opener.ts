import { type ReadonlySignal, signal } from '@preact/signals'
import { LockstepError } from '../../base/error.ts'
import { toPlainError } from '../../base/plain-error.ts'
import type { BundleSource } from '../../browser/bundle-source.ts'
import type { AskedNode } from '../node/asked-node.ts'
import type { View } from '../view/view.ts'
import type { ViewLocation } from '../view/view-location.ts'
import { unpackBundle } from './link-bundle.ts'
import { openRun } from './open-run.ts'
import { OpenedRun } from './opened-run.ts'
import type { Opening } from './opening.ts'

/** What decides which run is open. */
interface Wanted {
  readonly page: View['page']
  readonly index: number | undefined
  readonly bundle: string
  readonly node: AskedNode | undefined
  /** Number of the file that was opened last. */
  readonly file: number
}

/** Keeps that transaction open which the view names. */
export class RunOpener {
  readonly opening: ReadonlySignal<Opening>
  readonly #location: ViewLocation
  readonly #opening = signal<Opening>({ kind: 'none' })
  #wanted: Wanted | undefined
  #abort = new AbortController()
  #file: { readonly source: Blob; readonly number: number } | undefined

  constructor(location: ViewLocation) {
    this.#location = location
    this.opening = this.#opening
  }

  /** Opens what the view names, unless it is open. */
  follow({ page, index, bundle }: View, node: AskedNode | undefined): void {
    const isRun = page.kind === 'tx' || page.kind === 'bundle'
    // A hash names a transaction alone; only its node matters, and only a bundle's own parameters to a bundle.
    const wanted: Wanted = {
      page,
      index: page.kind === 'bundle' ? index : undefined,
      bundle: page.kind === 'bundle' ? bundle : '',
      node: page.kind === 'tx' ? node : undefined,
      file: page.kind === 'bundle' ? (this.#file?.number ?? 0) : 0,
    }
    if (this.#wanted !== undefined && isSame(this.#wanted, wanted)) return
    this.#wanted = wanted
    this.#abort.abort()
    this.#abort = new AbortController()
    const before = this.#opening.peek()
    if (before.kind === 'open') before.run.close()
    if (!isRun) {
      this.#opening.value = { kind: 'none' }
      return
    }
    void this.#open(wanted, this.#abort.signal)
  }

  /** Takes a file for the bundle of the page of bundles. */
  openFile(source: Blob, node: AskedNode | undefined): void {
    this.#file = { source, number: (this.#file?.number ?? 0) + 1 }
    this.#location.go({ page: { kind: 'bundle' } })
    this.follow(this.#location.view.peek(), node)
  }

  /** The bundle that is open as a text; undefined where it came from a node. */
  async fileText(): Promise<string | undefined> {
    return this.#file?.source.text()
  }

  async #open(wanted: Wanted, signal: AbortSignal): Promise<void> {
    try {
      const source = await this.#source(wanted)
      if (signal.aborted) return
      if (source === undefined) {
        this.#opening.value = { kind: 'file-needed' }
        return
      }
      this.#opening.value = { kind: 'opening', doing: 'Reading the bundle' }
      const { page, index } = wanted
      const named = page.kind === 'tx' ? { hash: page.hash } : { index }
      const opened = await openRun(source, named, signal)
      if (signal.aborted) {
        opened.bundle.close()
        return
      }
      this.#opening.value = { kind: 'open', run: new OpenedRun(this.#location, opened) }
    } catch (thrown) {
      if (!signal.aborted) this.#opening.value = { kind: 'failed', error: toPlainError(thrown) }
    }
  }

  async #source({ page, bundle, node }: Wanted): Promise<BundleSource | undefined> {
    if (page.kind === 'bundle') {
      return bundle === '' ? this.#file?.source : unpackBundle(bundle)
    }
    if (page.kind !== 'tx') return undefined
    if (node === undefined) {
      throw new LockstepError('INVALID_ARGUMENT', 'there is no node to ask for the transaction', {
        hint: 'name one under “Node…”, or drop the bundle of the transaction on this page',
      })
    }
    this.#opening.value = { kind: 'opening', doing: `Asking ${node.reader.name}` }
    return (await node.client.ask('debug_traceStateAccess', [page.hash])) as object
  }
}

function isSame(a: Wanted, b: Wanted): boolean {
  return (
    a.page.kind === b.page.kind &&
    (a.page.kind !== 'tx' || b.page.kind !== 'tx' || a.page.hash === b.page.hash) &&
    a.index === b.index &&
    a.bundle === b.bundle &&
    a.node === b.node &&
    a.file === b.file
  )
}
