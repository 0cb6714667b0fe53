internal import Cells

/// A view of names and texts, such as Help.
protocol TablePane: Pane {
  var table: TextTable { get set }
  /// The sentence in place of the rows if there are none.
  func emptyText(_ model: ScreenModel) -> String
}

extension TablePane {
  var list: ListView {
    get { table.list }
    set { table.list = newValue }
  }

  func matches(_ pattern: SearchPattern, _ row: Int, _ model: ScreenModel) -> Bool { table.matches(pattern, row) }

  func name(ofRow row: Int, _ model: ScreenModel) -> String { table.lines[row].name }

  func draw(on painter: inout Painter, selection: Style, _ model: ScreenModel) {
    let start = table.textColumn(ofColumns: painter.columns)
    drawRows(on: &painter, selection: selection, ifEmpty: emptyText(model)) { painter, index, style in
      let line = table.lines[index]
      painter.fill(row: 0, style: style)
      // A long name may take the columns that an empty text leaves.
      let room = line.text.isEmpty ? painter.columns - 2 : start - 2
      // A name of two parts with columns of their own loses its second part as a whole.
      let gap = line.name.count > room ? line.name.firstRange(of: "  ")?.lowerBound : nil
      let name = String(line.name[..<(gap ?? line.name.endIndex)])
      painter.write(name, row: 0, column: 1, columns: room, style: style == .plain ? table.nameStyle : style)
      painter.write(
        linked: line.text, of: table.rows[line.row].text, from: line.offset, row: 0, column: start,
        columns: painter.columns - start - 1, style: style)
    }
  }
}
