extension GrowthTests {
  /// Look at a new one in a browser, light and dark, before it replaces this one.
  static let recordsPicture = #"""
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 430" role="img" aria-labelledby="title description">
    <title id="title">Cost of an operation by the number of records</title>
    <desc id="description">fetch &lt;one&gt;: constant; list &amp; count: linear</desc>
    <style>
    text { font: 13px sans-serif; fill: #57606a; }
    .title { font-size: 16px; font-weight: bold; }
    .grid { stroke: #8b949e; stroke-opacity: 0.35; }
    .line { fill: none; stroke-width: 2; }
    @media (prefers-color-scheme: dark) { text { fill: #b1bac4; } }
    </style>
    <text x="88" y="24" class="title">Cost of an operation by the number of records</text>
    <path class="grid" d="M88 44L88 344"/>
    <text x="88" y="364" text-anchor="middle">1,000</text>
    <path class="grid" d="M690 44L690 344"/>
    <text x="690" y="364" text-anchor="middle">10,000</text>
    <path class="grid" d="M88 344L690 344"/>
    <text x="80" y="348" text-anchor="end">1</text>
    <path class="grid" d="M88 244L690 244"/>
    <text x="80" y="248" text-anchor="end">10</text>
    <path class="grid" d="M88 144L690 144"/>
    <text x="80" y="148" text-anchor="end">100</text>
    <path class="grid" d="M88 44L690 44"/>
    <text x="80" y="48" text-anchor="end">1,000</text>
    <text x="389" y="386" text-anchor="middle">records</text>
    <text x="16" y="194" text-anchor="middle" transform="rotate(-90 16 194)">µs of the server's processor</text>
    <g stroke="#3b82c4" stroke-dasharray="none"><polyline class="line" points="88,246.2 690,244"/><g fill="#3b82c4" stroke="none"><circle cx="88" cy="246.2" r="3"/><circle cx="690" cy="244" r="3"/></g></g>
    <g stroke="#d9730d" stroke-dasharray="8 4"><polyline class="line" points="88,183.8 690,83.8"/><g fill="#d9730d" stroke="none"><circle cx="88" cy="183.8" r="3"/><circle cx="690" cy="83.8" r="3"/></g></g>
    <g stroke="#3b82c4" stroke-dasharray="none"><path class="line" d="M88 406h28"/></g>
    <text x="124" y="410">fetch &lt;one&gt;: constant</text>
    <g stroke="#d9730d" stroke-dasharray="8 4"><path class="line" d="M389 406h28"/></g>
    <text x="425" y="410">list &amp; count: linear</text>
    </svg>

    """#
}
