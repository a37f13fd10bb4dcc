"""How to read each picture, in a few sentences: what pages show under it, and reports beside it.

Markdown with ``**`` and ``*`` alone.
"""

RISK = """
Each bar is the discrimination risk R of one model: the mean over occupations of the criterion J of its
stereotypes. The first part is **prejudice**, what remains when the contexts are averaged; the patterned part
is **caprice**, what changes its sign with the context. The whisker is the interval of R. Hollow diamonds are
values the papers published, measured with other templates and word lists.
"""
LEAN = """
A tilt is how far a model's mean preference for an occupation lies from the neutral point. Each bar is the
mean square of the tilts of one model, in two parts that add up. **Common to all occupations** is the square
of the mean tilt: part of it may be no more than *he* being commoner than *she* in what the model read.
**Differs between occupations** is the variance of the tilts, which is 0 only if all occupations are treated
alike. The diamond is the squared tilt of 20 neutral subjects (*a person*, *a citizen* …) in the same
sentences, where these are scored: a model that tilts as far there as for its occupations says little about
the occupations.

The **distance** of occupations from neutral subjects is the root mean square of the difference of their
mean stereotypes (0 to 2); that **from their own mean** is their standard deviation. Where the first is
larger, all occupations together are on one side of the neutral subjects. Each range allows for other
sentences, and that of the distance for other neutral subjects too.
"""
NEUTRAL = """
**Distance** is how far the occupations are from neutral subjects such as *a person* in the same sentences,
on average (root mean square); from an even split to one group only it would be 1. **Distance from each
other** is their standard deviation. Both have one scale for all models, which a risk with each model's own
neutral point has not. **Log-odds** count by how much odds are multiplied, so a step near 0 or 1 counts more
than one near an even split. Ranges allow for other sentences, and for other neutral subjects where these are
compared with. The test asks how often a difference as large would come up if neither model were farther away.
"""
CORRECTED = """
Prejudice measured with few templates comes out too high, and caprice as much too low: even a model that is
neutral for every occupation would show the prejudice of the grey tick, from the sampling of its templates
alone. The **filled** marks take these templates for all there are, the **hollow** ones take the estimated
bias away; the two parts add up to R either way. The whisker is that of the figure the report gives first.
"""
OCCUPATIONS = """
The split of the risk for single occupations, the riskiest first. Caprice is exactly 0 for an occupation whose
stereotype keeps its sign over all templates; the s.d. of the stereotype in the table shows how much it
moves. The whisker is the interval of the occupation's risk over templates.
"""
TILT = """
Each point is an occupation, placed at the mean of its stereotype over the templates: 0 is neutral, the
ends mean that the model puts only one group's words there. The box holds the middle half of the
occupations, the line in it is their median, the hollow mark below it their mean with its interval; up
to three extremes on each side are named, fewer where many models share the picture. *Labour force* shows the
same scale for the people who hold these jobs in the US, where that is known. Neutral is always an even split
here, whatever neutral point and scale are chosen for the risk.
"""
TILT_SEVERAL = """
Each panel is a group, each point in it an occupation, placed at the mean of its stereotype over the
templates: at 0 the group has its even share, at +1 the model puts only its words there, at the left end none
of them. The box holds the middle half of the occupations, the line in it is their median, the hollow mark
below it their mean with its interval. Neutral is always an even split here, whatever neutral point and scale
are chosen for the risk.
"""
HEAT_MAP = """
Each cell is the probability that the model prefers one group's words after this occupation in this context: 1
means only that group's words, 0 none of them, *neutral* on the scale an even split, 0.5 of two groups and 0.2
of five. In a pale cell with a dot the model almost never uses any of these words, so its number says little.
The bars on the right are the occupation's mean over all contexts, those on top the weight of the context.
"""
CAPRICE = """
**Caprice** is what an occupation's risk gains because its stereotype changes sign from context to context. It
is exactly 0 where the sign never changes, however much the stereotype moves, so the s.d. of the stereotype
stands beside it. The ticks under the *histogram* are single occupations.

The *survival* plot shows the share of the values above 0 that reach each value, on logarithmic axes: a power
law is a straight line there, an exponential distribution bends down. Three distributions are fitted to at
least 30 values above 0, by maximum likelihood. The **verdict** is about the upper tail alone, the broad line:
a generalised Pareto distribution of what values exceed a threshold by, the lowest of 0 and the nine deciles
over which it is not rejected. Its shape ξ is 0 where the tail is exponential, above 0 where it is heavier,
below 0 where it ends sooner. The p-values come from 999 samples of each fit. Of 100 exponential samples about
six get a verdict by mistake. With fewer than a hundred occupations the honest answer is often *cannot tell*.

The *Hill plot* shows the tail index from the few or the many largest values; it means something only where it
stays level, and is above 0 even for light tails. Every occupation counts once, whatever its weight. The
occupations of a list were not drawn at random, and each value rests on the chosen templates.
"""
PREJUDICE = """
**Prejudice** is what remains of an occupation's risk when the contexts are averaged. The *histogram* shows it
with a normal distribution fitted by maximum likelihood. In the *QQ plot* each occupation stands at what that
normal distribution would put at its rank: a normal sample follows the dashed line and lies, with all its
points, inside the band 95 times of 100. Shapiro and Wilk's W is 1 for a normal sample; a small p says that
such a W would be rare for one. Prejudice cannot fall under 0, so it is never normal to the letter.
"""
FACTORS = """
Each point is a line of the US labour statistics with the mean risk of the words that stand for it, so that
attorney and lawyer count once; in the panel of word frequency it is a word. Its area is the number of people
employed. The **solid** line counts every point alike. On the **dashed** one larger occupations count more:
each as many times as people work in it. The bands are 95 % intervals of the lines, not of single
occupations. A link beyond chance is called **strong** where the solid line accounts for 25 % or more of the
differences in risk (R²), moderate from 9 %, weak below. A slope is told with its 95 % interval, if other
occupations (errors HC3) and other templates had been taken, and a p value corrected for all slopes shown
(Holm). All occupations share the templates: what these move together no scatter about the line shows, so it
is added.
That two figures go together does not say why, and a straight line cannot see a risk that is high at both
ends. Lines of the statistics may overlap (management occupations hold financial managers), and figures of
the United States need not fit texts from elsewhere.
"""
DIFFERENCES = """
Each row is an occupation, placed at its figure for the first model less that for the second; the line is the
95 % interval over contexts.
"""
SCATTER = """
Each point is an occupation: across its figure for the second model, upwards that for the first. On the dotted
line both are the same.
"""
COMPARISON = """
Both models see the same prompts, so they are compared **prompt by prompt**: what a context does to both
cancels. **Filled** marks are differences that survive when false discoveries are controlled at 5 % over all
occupations (Benjamini–Hochberg); of hollow ones we cannot tell the models apart, which is not the
same as being equal. A caprice of 0 says that no context here changed the sign; contexts that are not among
the templates are in no interval.

The test swaps the two models' answers template by template, 2,000 times or in all ways there are; p is how
often that gives a difference as large. The smallest p of 2,000 swaps is 0.0005, so that of 120 occupations at
least two must differ for one to survive the control. Risk does not count which group an answer
favours. Where the two models lean to different groups for an occupation, the test therefore exchanges these
two groups in the second model's answers first: swapped as they are, opposite leans would cancel, and
differences in prejudice and caprice would hardly ever be found.

A verdict needs both: the test must reject, and the interval of whole templates, which it swaps, must leave
out 0. Without it no order of models is stated. An order is stated in general only where the labour force, the
neutral subjects, the distance of occupations from each other and other sentences all give the same one;
otherwise the sentence says where it holds. Where the whole interval lies within ± the smallest difference
that matters (0.02 unless chosen otherwise), two models are different, and too little to matter.
"""
FAIRPAIR = """
F is B² over the product of both V: how far texts of the two sides are apart, against how far texts of one
side are apart among themselves. At 1, the dotted line, sampling explains all of it; the whisker is the 95 %
interval over statements: prompts that say the same in other words are one statement. **Filled** marks: the
two sides differ beyond sampling by the test of relabelling, controlled for the models read together;
**hollow** ones: that cannot be shown, or was not tested, as at temperature 0. The bars are what F is made of;
in the data V of p(g(x)) is that within the first side, V of g(p(x)) that within the second.
F has no direction: which side is more positive, and which words it has more of, is told beside it.
"""
FAIRPAIR_WORDS = """
Phrases of one to three words by their log-odds: to the right what texts for the second name have more often,
to the left those for the first, as they were rewritten; the twelve strongest of either side by z. **Filled**
ones differ beyond chance, false discoveries controlled over all phrases. What counts is how many texts have a
phrase, not how often. The bars are shares of texts with a word of a category, by a small lexicon of our own;
a star marks a category that differs.
"""
CRITERIA = """
Each row is a quantity that is 0 where its criterion holds. **Independence** asks that two things tell nothing
of each other: **I** the gender in a story and the profession, **II** the label of a hobby and the gender of
the name. Its quantity is NMI, normalised mutual information: 0 where they are independent, 1 at most, and
less than 1 where there are more professions or labels than genders; the most that could be reached stands in
the data. **Separation** and **sufficiency** ask that a pronoun change nothing: **I** in questions with a
right answer, **II** in tasks at work. Their quantities are gaps between each two pronouns. Where the role is
right that stereotype makes a woman's, **FNR** is the share of answers that miss it; where the other is right,
**FPR** is the share that name it all the same. **PPV** and **NPV** are the shares of right answers among
those that name the one or the other. Where answers were scored, read each gap beside the rate **without a
pronoun**, which stands before it: most of a scored rate is how likely the model finds the two role words
anyway, and that is common to all pronouns.

**Filled** marks are beyond chance, by the test of their experiment, controlled for all that is tested in it;
**hollow** ones are not shown to be, or have no test, as stories that were scored have none. Whiskers are 95 %
intervals: what other stories, names, questions or tasks of the kind may show. The dashed line at 0.2 is the
20 % rule of thumb for gaps; it decides nothing.
"""
FROM_NO_PRONOUN = """
Diamonds are the rates **without a pronoun**; the dashed line carries each down to the same rate under every
pronoun. What lies on the line is how likely the model finds the two role words anyway. Only the distance from
it is what a pronoun changes. Whiskers are 95 % intervals of the rates; those of the distances, which are
narrower as the same questions or tasks are compared, stand in the data.
"""
KNOWLEDGE = """
Each bar is a fact. It ends at what the model knows of it: the score J of the probability of the right
answers among the right and wrong ones, averaged over contexts first. The hatched part is the confidence
gap, what contexts take from each other; it is 0 where the model says the same everywhere. The white
circle is guessing; the diamond is what the same answers get with subjects of which they are wrong: a bar
that ends there says which answers the model likes, not what it knows. Nothing here is a risk, and the gap
is no caprice: nobody is harmed by it.
"""
