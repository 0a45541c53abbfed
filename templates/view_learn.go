package templates

// Learn is the overview of the lessons.
type Learn struct {
	Static   func(name string) string
	Problems []Problem
	Parts    []LearnPart
}

// LearnPart is a group of lessons.
type LearnPart struct {
	Title, About string
	Lessons      []LearnEntry
}

// LearnEntry is a lesson in the overview.
type LearnEntry struct {
	Number, Title, About string
	Href                 string
	Screens              []LessonScreen
	Named                bool // its screens are listed
}

// LessonScreen leads to a screen of a lesson.
type LessonScreen struct {
	ID, Href, Title string // ID tells it from all others in the reader's progress
	On              bool
}

// Lesson is one screen of a lesson.
type Lesson struct {
	Static         func(name string) string
	Path, State    string // of its address
	ID             string // of the screen
	Title, Heading string
	Part, Number   string
	Screens        []LessonScreen
	Problems       []Problem
	Blocks         []LessonBlock
	Back, Next     Link // without Href: there is none
	Projected      bool
	Projector      string // address of the other way to show it
	Carried        []Carried
}

// Carried is what a form sends besides its own controls.
type Carried struct{ Name, Value string }

// LessonBlock is one piece of a screen; one field is set.
type LessonBlock struct {
	HTML     string // prose, rendered from Markdown without raw HTML
	Takeaway string // likewise
	Question *Question
	Run      *LessonRun
	Controls []Switchboard
	Figure   *LessonFigure
}

// Question is something to guess. Once there is an answer, the rest of the screen is shown.
type Question struct {
	Text    string
	Options []QuestionOption
	Skip    string // address of the answer without a guess
	Again   string // address of the question, once it is answered
	Said    string // what came of the guess; empty: it is still open
	Carried []Carried
}

// QuestionOption is an answer; Right and Guessed are set once the question is answered.
type QuestionOption struct {
	Value, Text    string
	Right, Guessed bool
}

// Switchboard lets the reader choose a value.
type Switchboard struct {
	Name, Label string
	Choices     []SwitchChoice
}

// SwitchChoice is one of them.
type SwitchChoice struct {
	Value, Label string
	On           bool
}

// LessonRun is the run of a screen: stages to watch, and the load of the other policies.
type LessonRun struct {
	Stages  []StageView
	Player  string // the query of how they stand
	Strips  []LessonStrip
	Load    LoadAxis
	Time    TimeAxis
	Numbers Results // of the strips' table
	Embed   Snippet // frames the stages; empty if there are none, or it is not known where the page is
}

// LessonStrip is the load of one policy.
type LessonStrip struct {
	ID, Name string
	Mark     Mark
	Strip    Strip
}

// LessonFigure is a table of figures, a row a policy.
type LessonFigure struct {
	Caption, Footing string
	Compare          string // address of the same on the compare page
	Head             []LessonColumn
	Rows             []LessonFigureRow
}

// LessonColumn is a metric.
type LessonColumn struct{ Metric, Title string }

// LessonFigureRow is a policy's.
type LessonFigureRow struct {
	ID, Name, Text, Href string
	Mark                 Mark
	Figures              []Figure
}

// Glossary is the page of terms.
type Glossary struct {
	Static   func(name string) string
	Problems []Problem
	Terms    []GlossaryTerm
}

// GlossaryTerm is one; HTML is rendered from Markdown without raw HTML.
type GlossaryTerm struct{ ID, Name, HTML string }
