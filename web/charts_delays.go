package web

import (
	"fmt"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/stampede-sim/stampede/sim"
	"github.com/stampede-sim/stampede/templates"
)

// The charts of what clients wait before each retry, and in all.

// delayChart shows what a policy waits before each retry: the exact distribution, and beside it what the runs drew.
func delayChart(s standing) templates.Chart {
	all := drawn(s)
	rows := all[:settled(all)]
	custom := charts.NewCustom()
	retries := make([]string, len(rows))
	exact, observed := make([]opts.CustomData, len(rows)), make([]opts.CustomData, len(rows))
	for i, row := range rows {
		retries[i] = fmt.Sprint(row.Retry)
		exact[i] = box(i, row.Exact.Min, row.Exact.P5, row.Exact.P25, row.Exact.P50, row.Exact.P75, row.Exact.P95, row.Exact.Max, row.Exact.AtCap)
		if o := row.Observed; o != nil && o.Count > 0 {
			observed[i] = box(i, o.Min, o.P5, o.P25, o.P50, o.P75, o.P95, o.Max, o.AtCap)
		} else {
			observed[i] = opts.CustomData{Value: []any{i}}
		}
	}
	if len(rows) < len(all) {
		retries[len(rows)-1] += "+"
	}
	custom.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Wait before the retry (s)", Min: 0}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Name: "Retry", Data: retries, Inverse: opts.Bool(true)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item", Formatter: "@delay"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	for i, series := range []struct {
		name string
		data []opts.CustomData
	}{{"exact", exact}, {"observed", observed}} {
		custom.AddSeries(series.name, series.data,
			charts.WithCustomChartOpts(opts.CustomChart{RenderItem: types.FuncStr("@box " + series.name)}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: []string{colour(s.mark), "var(--ink-2)"}[i]}),
			charts.WithEncodeOpts(opts.Encode{X: []int{1, 2, 3, 4, 5, 6, 7}, Y: 0}),
		)
	}
	out := chart("delays-"+s.Policy.ID, "Wait before each retry: "+nameOf(s), custom.JSON())
	out.Note = "Upper box: exact. Lower, grey: drawn in the runs. Line: least to most; box: 5 to 95 % and, darker, 25 to 75 %; bar: median. A column at the cap is filled to the share that waits exactly the cap."
	out.Table = delayTable(s)
	return out
}

// box is a distribution as the script's box draws it: its row, then the seven numbers, in seconds, and the share at the cap.
func box(row int, quantiles ...float64) opts.CustomData {
	value := []any{row}
	for _, q := range quantiles {
		value = append(value, round(q))
	}
	return opts.CustomData{Value: value}
}

// drawn are the retries worth a row: those that happened, and the first five if there can be so many.
func drawn(s standing) []sim.DelayRow {
	last := min(5, len(s.Delays))
	if most := s.Policy.MaxAttempts; most > 0 {
		last = min(last, int(most-1))
	}
	for i, row := range s.Delays {
		if row.Observed != nil && row.Observed.Count > 0 {
			last = max(last, i+1)
		}
	}
	return s.Delays[:last]
}

// settled is how many of the rows differ from each other: from there on each has the distribution of the one before, to
// within what a chart can show.
func settled(rows []sim.DelayRow) int {
	n := len(rows)
	for ; n > 1; n-- {
		a, b := rows[n-2].Exact, rows[n-1].Exact
		near := b.Max / 200
		if math.Abs(a.P5-b.P5) > near || math.Abs(a.P50-b.P50) > near || math.Abs(a.P95-b.P95) > near || math.Abs(a.Max-b.Max) > near {
			break
		}
	}
	return n
}

// waitChart shows what clients have waited in all by each retry: the mean as a line, least to most as a band.
func waitChart(shown []standing) templates.Chart {
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Retry", Min: 1, MinInterval: 1}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value", Name: "Waited in all (s)", Min: 0}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: "@waited"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	t := templates.Table{Caption: "Waited in all before each retry, in seconds", Head: []string{"Retry"}}
	longest := 0
	for _, s := range shown {
		rows := drawn(s)
		longest = max(longest, len(rows))
		var low, mean, high [][2]float64
		for _, row := range rows {
			n := float64(row.Retry)
			low = append(low, [2]float64{n, round(row.Cumulative.Min)})
			mean = append(mean, [2]float64{n, round(row.Cumulative.Mean)})
			high = append(high, [2]float64{n, round(row.Cumulative.Max)})
		}
		addBand(line, s, 0, low, high)
		addLine(line, s, mean)
		t.Head = append(t.Head, nameOf(s)+": least", "mean", "most")
	}
	for i := range longest {
		row := []string{fmt.Sprint(i + 1)}
		for _, s := range shown {
			if rows := drawn(s); i < len(rows) {
				c := rows[i].Cumulative
				row = append(row, brief(c.Min), brief(c.Mean), brief(c.Max))
			} else {
				row = append(row, "", "", "")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	out := chart("waited", "Waited in all before each retry", line.JSON())
	out.Wide, out.Table = true, t
	out.Note = "Line: mean; band: least to most, exact. Without what the attempts themselves take."
	return out
}

func delayTable(s standing) templates.Table {
	t := templates.Table{
		Caption: nameOf(s) + ": wait before each retry in seconds, exact and as drawn, and waited in all",
		Head:    []string{"Retry", "", "Least", "5 %", "25 %", "Median", "Mean", "75 %", "95 %", "Most", "At the cap", "Drawn", "In all: mean", "95 %", "most"},
	}
	for _, row := range drawn(s) {
		e, c, p95 := row.Exact, row.Cumulative, ""
		if c.P95 != nil {
			p95 = brief(*c.P95)
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(row.Retry), "exact", brief(e.Min), brief(e.P5), brief(e.P25), brief(e.P50), brief(e.Mean),
			brief(e.P75), brief(e.P95), brief(e.Max), nearly(e.AtCap, 1) + nbsp + "%", "", brief(c.Mean), p95, brief(c.Max)})
		if o := row.Observed; o != nil && o.Count > 0 {
			t.Rows = append(t.Rows, []string{fmt.Sprint(row.Retry), "drawn", brief(o.Min), brief(o.P5), brief(o.P25), brief(o.P50), brief(o.Mean),
				brief(o.P75), brief(o.P95), brief(o.Max), nearly(o.AtCap, 1) + nbsp + "%", count(float64(o.Count)), "", "", ""})
		}
	}
	return t
}
