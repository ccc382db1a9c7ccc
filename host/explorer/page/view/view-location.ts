import { type ReadonlySignal, signal } from '@preact/signals'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import { isSamePage } from './page.ts'
import type { ParameterValues } from './parameters.ts'
import { formatRoute, fullView, type PartialView, type View } from './view.ts'
import { linkTo, viewAt } from './view-link.ts'

/** Browsers refuse more than some 200 changes of the address in ten seconds: one that steps makes more. */
const WRITE_AFTER_MS = 120

/** Whether the button "back" returns to the view before: yes for what a person calls going somewhere. */
export type Visit = 'push' | 'replace'

/** The view, and the address of the browser that says the same. */
export class ViewLocation {
  readonly #window: Window
  readonly #base: string | undefined
  readonly #view
  #timer: Timer | undefined

  /** `base` is the path that the server gives the page below; undefined for a page that lies as a file. */
  constructor(window: Window, base: string | undefined) {
    this.#window = window
    this.#base = base
    this.#view = signal(viewAt(window.location, base))
    window.addEventListener('popstate', () => this.#read())
    window.addEventListener('hashchange', () => this.#read())
    window.addEventListener('pagehide', () => this.flush())
  }

  /** The view as it is shown now. */
  get view(): ReadonlySignal<View> {
    return this.#view
  }

  /** Changes parameters of this page's view. */
  set(values: Partial<ParameterValues>, visit: Visit = 'replace'): void {
    this.#show({ ...this.#view.peek(), ...values }, visit)
  }

  /** Goes to another page. The node stays the one that is asked, unless `view` names another. */
  go(view: PartialView): void {
    this.#show(fullView({ rpc: this.#view.peek().rpc, ...view }), 'push')
  }

  /** Reference of a view for an anchor; the node stays as it is. */
  href(view: PartialView): string {
    const full = fullView({ rpc: this.#view.value.rpc, ...view })
    return linkTo(full, this.#base, this.#window.location.pathname)
  }

  /** The whole address that shows this view again. */
  permalink(values: Partial<ParameterValues> = {}): string {
    const { location } = this.#window
    const link = linkTo({ ...this.#view.value, ...values }, this.#base, location.pathname)
    return new URL(link, location.href).href
  }

  /** Writes the view into the address now: changes come there a moment late. */
  flush(): void {
    if (this.#timer === undefined) return
    stopTimer(this.#timer)
    this.#timer = undefined
    this.#window.history.replaceState(null, '', this.#ownLink())
  }

  #show(view: View, visit: Visit): void {
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
