/** Markdown with everything that a notebook's prose has. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==';

export const MARKDOWN = {
  images: { 'attachment:dot.png': `data:image/png;base64,${dot}` },
  source: `# Sales by region

A calm paragraph with *emphasis*, **strong words**, \`inline code\`, ~~struck~~ and [a link](https://example.org). It costs $5 or
$10, while $e^{i\\pi} + 1 = 0$ is a formula, and so is \\(a_i\\).

## What was done

1. Load the data
2. Clean it, which means
   - drop empty rows
   - fix \`dates\`
3. Fit

- [x] read the paper
- [ ] write the tests

> What gets measured gets managed.

### Code

\`\`\`python
@cache
def area(radius: float) -> float:
    """The area of a disc."""
    return 3.14159 * radius ** 2  # no units
\`\`\`

### A table

| City | Sales | Share |
|:-----|------:|------:|
| Aachen | 1,203.50 | 24 % |
| Bremen | 884.25 | 18 % |
| Chemnitz | 433.00 | 9 % |

### Formulas

$$
\\hat{\\beta} = (X^\\top X)^{-1} X^\\top y
$$

\\begin{align}
a &= b + c \\\\
  &= d
\\end{align}

This one is wrong: $\\frac{1}{$ and this $\\undefinedmacro{x}$ too.

### Images

![attached](attachment:dot.png) ![on the web](https://example.org/logo.png) ![beside the notebook](figures/flow.png)

<div class="alert alert-info"><b>Note</b>: the mean is $\\bar{x}$.</div>
<div class="alert alert-warning">Careful with <code>NaN</code>.</div>

<details><summary>More</summary>

Hidden *detail*.

</details>

---

Press <kbd>Shift</kbd>+<kbd>Enter</kbd>. Term <mark>marked</mark>.
`,
};
