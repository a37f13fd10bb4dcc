"""How to read each picture, on pages and in reports: Markdown with only ``**`` and ``*``."""

RISK = """
Each bar is the discrimination risk of one model, averaged over occupations. 0 is the neutral point, an even
split unless you chose another; 1 is always the same group, unless you chose another scale. The solid part is
**prejudice**, a fixed preference; the hatched part is **caprice**, a preference that depends on the sentence,
cross-hatched where it comes from the wording alone. The whisker is the range of the risk. Hollow diamonds
are values that the papers published; they were measured with other sentences and words.
"""
LEAN = """
This picture shows whether a model treats all occupations alike. A tilt is how far its average preference in
an occupation lies from the neutral point; each bar is the mean square of the tilts, in two parts. **Common to
all occupations** is the square of the mean tilt: part of it may only mean that *he* is more common than *she*
in what the model read. **Differs between occupations** is the variance of the tilts; it is 0 only if all
occupations are treated alike. The diamond is the squared tilt of 20 neutral subjects (*a person*, *a citizen*
…) in the same sentences, where these have results. If a model prefers one group as strongly there as in its
occupations, the bar says little about occupations.

The **distance** of occupations from neutral subjects is the root mean square of the difference of their mean
stereotypes (0 to 2). Their **distance from their own mean** is their standard deviation. If the first is
larger, most occupations lie on one side of the neutral subjects. Each range allows for other sentences; that
of the distance also allows for other neutral subjects.
"""
NEUTRAL = """
**Distance** is how far occupations are from neutral subjects such as *a person* in the same sentences, on
average (root mean square); from an even split to one group alone it would be 1. **Distance from each other**
is their standard deviation. Both have one scale for all models, unlike a risk that is measured from each
model's own neutral point. **Log-odds** count by which factor the odds change, so that a step near 0 or 1
counts more than one near an even split. Ranges allow for other sentences, and for other neutral subjects
where occupations are compared with them. The test says how often so large a difference would occur if neither
model were farther away.
"""
CORRECTED = """
With few sentences, measured prejudice is too high and measured caprice too low by the same amount: even a
model that is neutral in every occupation would show the prejudice of the grey tick. The **filled** marks
treat these sentences as all there are; the **hollow** marks subtract the estimated bias. Either way the two
parts add up to the risk. The whisker belongs to the figure that the report gives first.
"""
OCCUPATIONS = """
Each bar is the risk of one occupation, the highest first. With two groups, caprice is exactly 0 if the
stereotype keeps its sign in every sentence; the standard deviation in the table shows how much it still
varies. The whisker is the range of the occupation's risk with other sentences.
"""
TILT = """
Each point is an occupation, placed at the model's average preference over all sentences: 0 is an even split,
and at the ends the model uses only one group's words. The box holds the middle half of the occupations and
the line in it is their median. The hollow mark below is their mean with its range. Up to three extremes on
each side are named, fewer if many models share the picture. *Labour force* shows the people who hold these
jobs in the US on the same scale, where that is known. 0 is always an even split here, whatever neutral point
and scale you choose for the risk.
"""
TILT_RATES = """
Each point is an occupation, placed at how far one group's rate of favourable answers is from the mean of all
groups, on average over all sentences: at 0 the group's rate is that mean. The box holds the middle half of
the points and the line in it is their median. The hollow mark below is their mean with its range, which does
not allow for other people of the groups. The points farthest from 0 are named.
"""
TILT_SEVERAL = """
Each row is a group and each point in it an occupation, placed at the model's average preference over all
sentences: at 0 the group has an even share, at +1 the model uses only its words, at the left end none of
them. The box holds the middle half of the occupations and the line in it is their median. The hollow mark
below is their mean with its range. 0 is always an even share here, whatever neutral point and scale you
choose for the risk.
"""
HEAT_MAP = """
Each cell is one sentence about one occupation. Its colour shows how likely the model finds one group's words
there: 1 means only that group's words, 0 none of them, and *neutral* on the scale is an even split (0.5 with
two groups, 0.2 with five). In a pale cell with a dot the model almost never uses any of these words, so its
number says little. A cell with a cross has no preference, because the model gives one of the words no
probability at all. The bars on the right show the occupation's mean over all sentences, those on top
how much each sentence counts.
"""
CAPRICE = """
**Caprice** is the part of an occupation's risk that comes from preferring one group in some sentences and
another group in others. With two groups it is exactly 0 if the model prefers the same group in every
sentence, however much the strength of that preference varies. The ticks under the *histogram* are single
occupations.

The *survival* plot shows how the largest values thin out. Its **verdict** says whether a few occupations
reach far beyond the rest. The axes are logarithmic and show the share of values above 0 that reach each
value: a power law is a straight line there, and an exponential distribution bends down. Three distributions
are fitted by maximum likelihood if at least 30 values are above 0. The verdict is about the upper tail alone,
the broad line: a generalised Pareto distribution of the excess over a threshold, which is the lowest of 0 and
the nine deciles at which this distribution is not rejected. Its shape is 0 for an exponential tail, above 0
for a heavier one and below 0 for one that ends sooner. The p-values come from 999 samples of each fit. About
six of 100 exponential samples get a verdict by mistake. With fewer than a hundred occupations the honest
answer is often *cannot tell*.

The *Hill plot* shows the tail index from the few or the many largest values. It is meaningful only where it
stays level, and it is above 0 even for light tails. Every occupation counts once, whatever its weight. The
occupations of a list were not drawn at random, and each value depends on the chosen sentences.
"""
PREJUDICE = """
**Prejudice** is what remains of an occupation's risk when its sentences are averaged. The *histogram* shows
it with a normal distribution fitted by maximum likelihood. In the *QQ plot* each occupation stands at the
value that this distribution expects at its rank: a normal sample follows the dashed line, and in 95 of 100
cases all its points lie inside the band. Shapiro and Wilk's W is 1 for a normal sample; a small p says that
such a W would be rare for one. Prejudice cannot be negative, so it is never exactly normal.
"""
FACTORS = """
Each point is an occupation of the US labour statistics. Its risk is the mean over the words for this
occupation, so attorney and lawyer are one point. In the panel of word frequency, each point is a word. The
area of a point is the number of people employed. The **solid** line counts all points equally. On the
**dashed** line larger occupations count more, in proportion to the people who work in them. The bands are the
95 % ranges of the lines, not of single occupations.

A relation that is more than chance is called **strong** if the solid line accounts for 25 % or more of the
differences in risk, moderate from 9 %, weak below. Each slope has a 95 % range and a p-value, which is
corrected because several slopes are tested (Holm's method). The range allows for other occupations (standard
errors of the kind HC3) and for other sentences. All occupations are tested in the same sentences, so other
sentences would move many points together. The distances of the points from the line do not show this, so it
is added to the range.

A relation between two figures does not show a cause, and a straight line cannot show a risk that is high at
both ends. Occupations of the statistics may overlap (management occupations include financial managers).
Figures of the United States may not describe the places that the training texts come from.
"""
DECISIONS = """
Each row is a group of people in one model. The **filled** mark is the mean probability of a favourable
answer, of all answers together, with its range over other sentences. The **hollow** one is the share of
sentences in which it is at least one half, where a system that acts on the likelier answer decides in favour.
The short line is four fifths of the highest mean: US guidelines on selecting employees (29 CFR 1607.4 D) take
a rate below it as a sign to look closer. It is drawn for orientation and is no verdict. This is no audit
under New York's Local Law 144, and a name tells of more than race.
"""
DIFFERENCES = """
Each row is an occupation, placed at its figure for the first model minus its figure for the second. The line
is the 95 % range with other sentences.
"""
SCATTER = """
Each point is an occupation: its figure for the second model across, for the first upwards. On the dotted line
both are the same.
"""
COMPARISON = """
Both models get the same prompts, so they are compared **prompt by prompt**: effects of a sentence on both
models cancel. **Filled** marks are differences that remain when false discoveries are controlled at 5 % over
all occupations (Benjamini–Hochberg). At hollow marks we cannot tell the models apart, which does not mean
that they are equal. A caprice of 0 says that no sentence here changed the sign; sentences that are not in the
set are in no range.

The test swaps the two models' answers in each sentence, 2,000 times or in all possible ways; p is how often
that gives a difference as large. With 2,000 swaps the smallest p is 0.0005, so of 120 occupations at least
two must differ for one to pass the control. Risk does not count which group a model prefers. If the two
models prefer different groups in an occupation, the test first exchanges these two groups in the second
model's answers. Otherwise opposite preferences would cancel, and differences in prejudice and caprice would
hardly ever be found.

A verdict needs both: the test must reject, and the range over whole sentences, which the test swaps, must
exclude 0. Otherwise no order of the models is stated. An order is stated in general only if the labour force,
the neutral subjects, the distance of occupations from each other, weights by people employed and other
sentences all give the same one; otherwise the sentence says where it holds. If the whole range lies within
± the smallest difference that matters (0.02 unless you choose another), the two models differ too little to
matter.
"""
FAIRPAIR = """
The ratio of differences compares how different texts for the two names are with how different texts for one
name are among themselves. At 1, the dotted line, there is no more difference than between any two texts. It
is the square of the first difference divided by the product of the differences within either side. The
whisker is the 95 % range over statements; prompts that say the same in other words are one statement.
**Filled** marks: texts for the two names differ by more than chance, by a test that exchanges the names at
random, controlled for the models shown together. **Hollow** marks: no difference is shown, or there was no
test, as at temperature 0. The bars are the parts of the ratio: the difference between the sides and the
differences within them. The ratio has no direction: a sentence says which side is more positive, and the view
of words which words each side has more often.
"""
FAIRPAIR_WORDS = """
Phrases of one to three words by their log-odds: to the right those that texts for the second name have more
often, to the left those for the first, as they were rewritten. The twelve strongest of each side are shown,
by z. **Filled** marks differ by more than chance, with false discoveries controlled over all phrases. A
phrase counts once for each text that has it. The bars are shares of texts with a word of a category, by a
small lexicon of our own; a star marks a category that differs.
"""
CRITERIA = """
Each row is a quantity that is 0 if its criterion holds. **Independence** means that two things say nothing
about each other: in **I** the gender in a story and the profession, in **II** the label of a hobby and the
gender of the name. Its quantity is a link, normalised mutual information: 0 if they are independent, at most
1, and less if there are more professions or labels than genders; the data give the largest possible value.
**Separation** and **sufficiency** mean that a pronoun changes nothing: in **I** for questions with a right
answer, in **II** for tasks at work. Their quantities are gaps between each two pronouns. For separation these
are gaps in the share of wrong answers, where the women's job (such as the nurse) is right and where the men's
job is; for sufficiency they are gaps in the share of right answers, among those that name the women's or the
men's job. Where answers were scored, compare each gap with the rate **without a pronoun** before it: most of
a scored rate depends on how likely the model finds the two words for the jobs anyway, which is the same for
all pronouns.

**Filled** marks are more than chance, by the test of their experiment, controlled for everything it tests.
**Hollow** marks show no difference, or have no test, as with scored stories, or come from too few questions
or tasks to show any. Whiskers are 95 % ranges: they allow for other stories, names, questions or tasks of the
same kind. A mark without a whisker has too few for a range. The dashed line at 0.2 is the 20 % rule of thumb
for gaps, not a verdict.
"""
FROM_NO_PRONOUN = """
Diamonds are the rates **without a pronoun**, and the dashed line carries each of them down to the same rate
under every pronoun. A mark on the line shows only how likely the model finds the two words for the jobs
anyway; what a pronoun changes is the distance from the line. Whiskers are 95 % ranges of the rates. Those of
the distances are in the data; they are narrower, because the same questions or tasks are compared.
"""
KNOWLEDGE = """
Each bar is a fact. Its end shows how well the model knows it: the score J of the probability of the right
answers among the right and wrong ones, averaged over sentences first. The hatched part is the confidence gap,
which is lost because sentences give different answers; it is 0 if all sentences give the same. The white
circle is guessing. The diamond is what the same answers get with subjects for which they are wrong: a bar
that ends there shows which answers the model prefers, not what it knows. Nothing here is a risk, and the gap
is no caprice: it harms nobody.
"""
