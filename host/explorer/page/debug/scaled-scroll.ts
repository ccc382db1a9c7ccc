/**
 * Browsers bound the height of an element (Firefox at 17.9 M physical pixels, Chromium at 33.5 M). 4 M stay below that at a zoom of 400 %.
 */
export const MAX_HEIGHT = 4_000_000

/** At both ends a pixel of the scroll bar is a pixel of the list, over so many; between them it is several. */
const EXACT_END = 500_000

/** Scroll events that move by more pages than this are those of a dragged scroll bar, or of a key that leads far. */
const NEAR_PAGES = 3

export interface ScrollSize {
  readonly rows: number
  readonly rowHeight: number
  readonly viewHeight: number
}

/**
 * The place in a list whose height no element may have. `top` is the first pixel of the list that is seen. The
 * element scrolls over a smaller height: small moves go one pixel by one pixel, far ones in proportion.
 */
export class ScaledScroll {
  #size: ScrollSize
  #top = 0
  #scrollTop = 0

  constructor(size: ScrollSize) {
    this.#size = size
  }

  get top(): number {
    return this.#top
  }

  /** Height that the element is given. */
  get height(): number {
    return Math.min(this.#listHeight, MAX_HEIGHT)
  }

  /** Where the element should be scrolled to, once nobody moves it. */
  get restingScrollTop(): number {
    return this.#toElement(this.#top)
  }

  /** Where the element is scrolled to, as far as is known. */
  get scrollTop(): number {
    return this.#scrollTop
  }

  /** Rows that are seen, of which the first and the last may be cut; `offset` is the pixel of the element that the first begins at. */
  get rows(): { readonly first: number; readonly end: number; readonly offset: number } {
    const { rows, rowHeight, viewHeight } = this.#size
    const first = Math.max(0, Math.min(rows - 1, Math.floor(this.#top / rowHeight)))
    const end = Math.min(rows, Math.ceil((this.#top + viewHeight) / rowHeight))
    return { first, end, offset: this.#scrollTop + first * rowHeight - this.#top }
  }

  resize(size: ScrollSize): void {
    this.#size = size
    this.#top = this.#clamp(this.#top)
  }

  /** The element was scrolled, by anybody. */
  scrolled(scrollTop: number): void {
    const moved = scrollTop - this.#scrollTop
    if (moved === 0) return
    this.#scrollTop = scrollTop
    const isNear = Math.abs(moved) <= NEAR_PAGES * this.#size.viewHeight
    const isAtEnd = scrollTop <= 0 || scrollTop >= this.#lastScrollTop
    this.#top = this.#clamp(isNear && !isAtEnd ? this.#top + moved : this.#toList(scrollTop))
  }

  /** Moves so that a row is seen: not at all where it is, else it comes to the middle, or to the near edge if it is next to it. */
  reveal(row: number): void {
    const { rowHeight, viewHeight } = this.#size
    const rowTop = row * rowHeight
    const rowEnd = rowTop + rowHeight
    if (rowTop >= this.#top && rowEnd <= this.#top + viewHeight) return
    const margin = 3 * rowHeight
    if (rowTop < this.#top && rowTop >= this.#top - margin) this.moveTo(rowTop)
    else if (rowEnd > this.#top + viewHeight && rowEnd <= this.#top + viewHeight + margin) {
      this.moveTo(rowEnd - viewHeight)
    } else this.moveTo(rowTop - (viewHeight - rowHeight) / 2)
  }

  /** Makes `top` the first pixel seen, and rests there. */
  moveTo(top: number): void {
    this.#top = this.#clamp(top)
    this.#scrollTop = this.restingScrollTop
  }

  /** The element stands at `scrollTop` by the page's own doing: what is seen stays. */
  settle(scrollTop: number): void {
    this.#scrollTop = scrollTop
  }

  get #listHeight(): number {
    return this.#size.rows * this.#size.rowHeight
  }

  get #lastTop(): number {
    return Math.max(0, this.#listHeight - this.#size.viewHeight)
  }

  get #lastScrollTop(): number {
    return Math.max(0, this.height - this.#size.viewHeight)
  }

  #clamp(top: number): number {
    return Math.max(0, Math.min(this.#lastTop, top))
  }

  #toElement(top: number): number {
    if (this.#lastTop <= this.#lastScrollTop || top <= EXACT_END) return top
    const fromEnd = this.#lastTop - top
    if (fromEnd <= EXACT_END) return this.#lastScrollTop - fromEnd
    const scale = (this.#lastScrollTop - 2 * EXACT_END) / (this.#lastTop - 2 * EXACT_END)
    // Whole pixels, which elements keep
    return Math.round(EXACT_END + (top - EXACT_END) * scale)
  }

  #toList(scrollTop: number): number {
    if (this.#lastTop <= this.#lastScrollTop || scrollTop <= EXACT_END) return scrollTop
    const fromEnd = this.#lastScrollTop - scrollTop
    if (fromEnd <= EXACT_END) return this.#lastTop - fromEnd
    const scale = (this.#lastTop - 2 * EXACT_END) / (this.#lastScrollTop - 2 * EXACT_END)
    return EXACT_END + (scrollTop - EXACT_END) * scale
  }
}
