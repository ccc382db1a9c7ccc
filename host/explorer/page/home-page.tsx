/** Where one begins. */
export function HomePage() {
  return (
    <section aria-labelledby="home-title">
      <h1 id="home-title">Open a transaction</h1>
      <p>
        Type the hash of a transaction, the number of a block or an address above, or drop a bundle
        anywhere on this page.
      </p>
    </section>
  )
}
