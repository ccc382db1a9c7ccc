/** How to provide a source. */
export function SourceHint() {
  return (
    <p class="none">
      To see the source, drop the compiler’s output on this page: the JSON of solc with sources and
      source maps, or a build-info file of Hardhat or Foundry.
    </p>
  )
}
