package web

import (
	"github.com/stampede-sim/stampede/templates"
)

// This file draws the league as a picture for link previews: its top, its end and, marked, the own row with those next to
// it.

// pictureRows is how many rows the picture has room for.
const pictureRows = 11

// leagueEnds are the ends of the picture's columns of figures.
var leagueEnds = []float64{610, 770, 880, 1010, right}

func (p painter) league(page templates.LeaguePage, host string) {
	head := textStyle{size: 30, bold: true, color: p.ink}
	p.text(left, 60, head.fit(page.Title, right-left), head)
	y := 92.0
	for _, line := range p.style(17).wrap(page.Says, right-left, 2) {
		p.text(left, y, line, p.style(17))
		y += 23
	}
	y += 16
	p.text(leagueEnds[0]-110, y, "did your requests survive?", p.label())
	p.endAt(right, y, "did your server?", p.label())
	y += 22
	for i, title := range []string{"served", page.Wait, "crashes", "highest load", "attempts each"} {
		p.endAt(leagueEnds[i], y, title, p.label())
	}
	y += 8
	const height = 34.0
	rows, cut := leagueExcerpt(page.Rows)
	for i, row := range rows {
		if row.Own {
			p.rect(left, y, right-left, height, p.down)
		}
		p.rule(left, y, right, y, p.line)
		base := y + height/2 + 6
		name := textStyle{size: 18, bold: row.Own, color: p.ink}
		p.text(left+6, base, row.RequestRank, p.style(17))
		p.text(left+56, base, name.fit(row.Name, 390), name)
		for k, cell := range append(append([]templates.LeagueCell{}, row.Cells...), row.Server...) {
			style := p.style(18)
			if cell.Bad {
				style.bold, style.color = true, p.harm
			}
			p.endAt(leagueEnds[k], base, cell.Text, style)
		}
		y += height
		if cut[i] {
			p.text(left+56, y+11, "…", p.label())
			y += 14
		}
	}
	p.rule(left, y, right, y, p.line)
	brand := textStyle{size: 16, bold: true, color: p.ink}
	link := "Stampede"
	if host != "" {
		link = host + "/league"
	}
	p.endAt(right, 613, brand.fit(link, 480), brand)
	p.text(left, 613, p.label().fit(page.Scenario, right-left-brand.width(link)-24), p.label())
}

// leagueExcerpt picks the rows that the picture shows, in order, and says after which some are left out.
func leagueExcerpt(rows []templates.LeagueRow) (picked []templates.LeagueRow, cut map[int]bool) {
	own := len(rows) // none
	for i, row := range rows {
		if row.Own {
			own = i
		}
	}
	want := map[int]bool{}
	add := func(i int) {
		if i >= 0 && i < len(rows) && len(want) < pictureRows {
			want[i] = true
		}
	}
	for _, i := range []int{own, 0, 1, 2, own - 1, own + 1, len(rows) - 1, len(rows) - 2} {
		add(i)
	}
	for i := 0; len(want) < min(pictureRows, len(rows)); i++ {
		add(i)
	}
	cut = map[int]bool{}
	last := -1
	for i := range rows {
		if !want[i] {
			continue
		}
		if i > last+1 && len(picked) > 0 {
			cut[len(picked)-1] = true
		}
		picked, last = append(picked, rows[i]), i
	}
	return picked, cut
}
