import { type ReadonlySignal, signal } from '@preact/signals'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import { isSamePage } from './page.ts'
import type { ParameterValues } from './parameters.ts'
import { formatRoute, fullView, type PartialView, type View } from './view.ts'
import { linkTo, viewAt } from './view-link.ts'

/** Browsers reject more than about 200 address changes in ten seconds, which stepping exceeds. */
const WRITE_AFTER_MS = 120

/** Whether the "back" button returns to the previous view: `push` for deliberate navigation. */
export type HistoryMode = 'push' | 'replace'

/** The view, synchronised with the browser's address. */
export class ViewLocation {
  readonly #window: Window
  readonly #base: string | undefined
  readonly #view
  #timer: Timer | undefined

  /** `base` is the path below which the server returns the page; undefined for a page opened as a file. */
  constructor(window: Window, base: string | undefined) {
    this.#window = window
    this.#base = base
    this.#view = signal(viewAt(window.location, base))
    window.addEventListener('popstate', () => this.#read())
    window.addEventListener('hashchange', () => this.#read())
    window.addEventListener('pagehide', () => this.flush())
  }

  /** The current view. */
  get view(): ReadonlySignal<View> {
    return this.#view
  }

  /** Changes parameters of the current view. */
  set(values: Partial<ParameterValues>, visit: HistoryMode = 'replace'): void {
    this.#show({ ...this.#view.peek(), ...values }, visit)
  }

  /** Goes to another page. The node stays unless `view` names another. */
  go(view: PartialView): void {
    this.#show(fullView({ rpc: this.#view.peek().rpc, ...view }), 'push')
  }

  /** Returns the href of a view; the node stays. */
  href(view: PartialView): string {
    const full = fullView({ rpc: this.#view.value.rpc, ...view })
    return linkTo(full, this.#base, this.#window.location.pathname)
  }

  /** Returns the full URL of this view. */
  permalink(values: Partial<ParameterValues> = {}): string {
    const { location } = this.#window
    const link = linkTo({ ...this.#view.value, ...values }, this.#base, location.pathname)
    return new URL(link, location.href).href
  }

  /** Writes the view into the address now; changes are otherwise written after a delay. */
  flush(): void {
    if (this.#timer === undefined) return
    stopTimer(this.#timer)
    this.#timer = undefined
    this.#window.history.replaceState(null, '', this.#ownLink())
  }

  #show(view: View, visit: HistoryMode): void {
    const before = this.#view.peek()
    if (formatRoute(before) === formatRoute(view)) return
    if (visit === 'push') {
      this.flush()
      this.#view.value = view
      this.#window.history.pushState(null, '', this.#ownLink())
      if (!isSamePage(before.page, view.page)) this.#window.scrollTo(0, 0)
      return
    }
    this.#view.value = view
    this.#timer ??= startTimer(() => this.flush(), WRITE_AFTER_MS)
  }

  #ownLink(): string {
    return linkTo(this.#view.peek(), this.#base, this.#window.location.pathname)
  }

  #read(): void {
    stopTimer(this.#timer)
    this.#timer = undefined
    const view = viewAt(this.#window.location, this.#base)
    if (formatRoute(view) !== formatRoute(this.#view.peek())) this.#view.value = view
  }
}
